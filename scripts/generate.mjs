// Generates from the Zod schema of the configuration file: the JSON Schema, the types, the shape for the quick reader, and the
// tables of docs/config.md, docs/http.md and docs/client-blocks.md; the commands in docs/cli.md from the table of commands. With --check it
// writes nothing and fails if one of them is out of date.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { printTable } from './markdown.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const targets = {
  jsonSchema: 'schema/workbench-config.schema.json',
  types: 'src/config/schema/config-file.generated.ts',
  shape: 'src/config/schema/quick-shape.generated.ts',
  docs: 'docs/config.md',
  http: 'docs/http.md',
  blocks: 'docs/client-blocks.md',
  cli: 'docs/cli.md',
};

/** The code of the commands is not needed. */
const withoutParts = {
  name: 'without-parts',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ path: file, kind }) =>
      kind === 'dynamic-import' ? { path: file, external: true } : undefined,
    );
  },
};

async function importSources() {
  const contents = `
    export { configFileSchema } from './src/config/schema/schema.ts';
    export { writtenFileSchema } from './src/config/schema/dialect-schema.ts';
    export { printShape } from './src/config/schema/print-shape.ts';
    export { shapeOf } from './src/config/schema/shape-of-schema.ts';
    export { toJSONSchema } from 'zod/mini';
    export { commands } from './src/cli/frame/command-line/table.ts';
    export { groups } from './src/cli/frame/command.ts';
  `;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    mainFields: ['module', 'main'],
    plugins: [withoutParts],
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

function createJsonSchema({ writtenFileSchema, toJSONSchema }) {
  const convert = (schema) => {
    const { $schema: _, ...converted } = toJSONSchema(schema, {
      target: 'draft-7',
      unrepresentable: 'any',
      io: 'input',
      override: ({ zodSchema, jsonSchema }) => {
        const { type } = zodSchema.def;
        if (type === 'object') jsonSchema.additionalProperties = false;
        if (jsonSchema.multipleOf === 1) {
          jsonSchema.type = 'integer';
          delete jsonSchema.multipleOf;
        }
        if (type !== 'map') return;
        jsonSchema.type = 'object';
        jsonSchema.additionalProperties = convert(zodSchema.def.valueType);
      },
    });
    return converted;
  };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    // For editors: comments and trailing commas are allowed in the file.
    allowComments: true,
    allowTrailingCommas: true,
    ...convert(writtenFileSchema),
  };
}

/** Every object with a title is written once: the same servers may stand under many keys. */
function withDefinitions(jsonSchema) {
  const definitions = {};
  const hoist = (schema) => {
    if (Array.isArray(schema)) return schema.map(hoist);
    if (typeof schema !== 'object' || schema === null) return schema;
    const { foreign: _, ...rest } = schema;
    const inner = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, hoist(value)]));
    if (!schema.title || !schema.properties) return inner;
    definitions[schema.title] ??= inner;
    return { $ref: `#/definitions/${schema.title}` };
  };
  const { title, ...untitled } = jsonSchema;
  return { ...hoist(untitled), title, definitions };
}

/** The interfaces are named by the titles of the schema. */
function createTypes(jsonSchema) {
  const interfaces = [];
  const printed = new Set();
  const printType = (schema) => {
    if (schema.enum) return schema.enum.map((value) => `'${value}'`).join(' | ');
    if ('const' in schema) return JSON.stringify(schema.const);
    if (schema.anyOf && !schema.properties) return schema.anyOf.map(printType).join(' | ');
    if (schema.type === 'integer') return 'number';
    if (schema.type === 'array')
      return schema.items.enum ? `(${printType(schema.items)})[]` : `${printType(schema.items)}[]`;
    if (schema.type !== 'object') return schema.type ?? 'unknown';
    if (schema.properties) return printInterface(schema);
    return `{ [name: string]: ${printType(schema.additionalProperties)} }`;
  };
  const printInterface = ({ title, description, properties, required = [] }) => {
    if (!title)
      throw new Error(
        `The object with the keys ${Object.keys(properties).join()} needs a title: it names its interface`,
      );
    if (printed.has(title)) return title;
    printed.add(title);
    const place = interfaces.push('') - 1;
    const lines = Object.entries(properties).flatMap(([key, schema]) => [
      `  /** ${schema.description}${schema.default === undefined ? '' : ` Default: ${printDefault(schema)}.`} */`,
      `  ${/^[\w$]+$/.test(key) ? key : `'${key}'`}${required.includes(key) ? '' : '?'}: ${printType(schema)};`,
    ]);
    interfaces[place] = `/** ${description} */\nexport interface ${title} {\n${lines.join('\n')}\n}\n`;
    return title;
  };
  printType(jsonSchema);
  return `// Generated from schema.ts by \`npm run generate\`.\n\n${interfaces.join('\n')}`;
}

function createTables(jsonSchema) {
  const toolbox = jsonSchema.properties.toolboxes.additionalProperties;
  const server = toolbox.properties.mcpServers.additionalProperties;
  const settings = jsonSchema.properties.defaults;
  const keysOf = (schema, isShown) =>
    createTable({ ...schema, properties: Object.fromEntries(Object.entries(schema.properties).filter(isShown)) });
  const { http } = jsonSchema.properties;
  const { auth, limits } = http.properties;
  const isOurs = ([, { foreign }]) => !foreign;
  return {
    file: keysOf(jsonSchema, isOurs),
    toolbox: keysOf(toolbox, isOurs),
    server: keysOf(server, (entry) => isOurs(entry) && !Object.hasOwn(settings.properties, entry[0])),
    settings: createTable(settings),
    containers: keysOf(toolbox, (entry) => !isOurs(entry)),
    foreign: keysOf(server, (entry) => !isOurs(entry)),
    http: createTable(http),
    httpAuth: createTable(auth),
    httpLogin: createTable(auth.properties.login),
    httpLimits: createTable(limits),
    oauth: createTable(server.properties.oauth.anyOf.find(({ properties }) => properties)),
  };
}

function createTable({ properties, required = [] }) {
  const rows = Object.entries(properties).map(([key, schema]) => {
    const builtIn = schema.default === undefined ? '' : `\`${printDefault(schema)}\``;
    return [`\`${key}\``, describeType(schema), required.includes(key) ? 'required' : builtIn, schema.description];
  });
  return printTable([['key', 'value', 'default', 'meaning'], ...rows]);
}

function describeType(schema) {
  if (schema.enum) return schema.enum.map((value) => `\`"${value}"\``).join(', ');
  if ('const' in schema) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.anyOf && !schema.properties) return [...new Set(schema.anyOf.map(describeType))].join(' or ');
  if (schema.type === 'array') return schema.items.type ? `list of ${plurals[schema.items.type]}` : 'list';
  if (schema.type === 'integer') return 'whole number';
  if (schema.type === 'boolean') return 'true or false';
  return schema.type;
}

const plurals = {
  string: 'strings',
  object: 'objects',
  integer: 'whole numbers',
  boolean: 'true or false',
  array: 'lists',
};

function printDefault({ default: value }) {
  return JSON.stringify(value);
}

function createCommandTables({ commands, groups }) {
  const ordered = groups.flatMap((group) => commands.filter((command) => command.group === group));
  const rows = ordered.map(({ name, usage, summary }) => [
    `\`${[name, usage].filter(Boolean).join(' ').replaceAll('|', '\\|')}\``,
    summary,
  ]);
  return { commands: printTable([['command', 'does'], ...rows]) };
}

function fillTables(file, tables) {
  const docs = read(file);
  return Object.entries(tables).reduce((text, [name, table]) => {
    const marked = new RegExp(`(<!-- table: ${name} -->\n)[^]*?(<!-- end -->)`);
    if (!marked.test(text)) throw new Error(`${file} has no markers for the table '${name}'`);
    return text.replace(marked, (_, begin, end) => `${begin}\n${table}\n\n${end}`);
  }, docs);
}

const read = (file) => {
  try {
    return readFileSync(path.join(root, file), 'utf8').replaceAll('\r\n', '\n');
  } catch {
    return '';
  }
};

const imported = await importSources();
const jsonSchema = createJsonSchema(imported);
const { containers, foreign, http, httpAuth, httpLogin, httpLimits, ...tables } = createTables(jsonSchema);
const outputs = {
  [targets.jsonSchema]: `${JSON.stringify(withDefinitions(jsonSchema), null, 2)}\n`,
  [targets.types]: createTypes(jsonSchema),
  [targets.shape]: imported.printShape(imported.shapeOf(imported.configFileSchema)),
  [targets.docs]: fillTables(targets.docs, tables),
  [targets.http]: fillTables(targets.http, { http, httpAuth, httpLogin, httpLimits }),
  [targets.blocks]: fillTables(targets.blocks, { containers, foreign }),
  [targets.cli]: fillTables(targets.cli, createCommandTables(imported)),
};
const stale = Object.keys(outputs).filter((file) => outputs[file] !== read(file));
if (process.argv.includes('--check')) {
  if (stale.length > 0) {
    console.error(`Out of date: ${stale.join(', ')}. Run: npm run generate`);
    process.exitCode = 1;
  }
} else {
  for (const file of stale) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), outputs[file]);
    console.log(`wrote ${file}`);
  }
}
