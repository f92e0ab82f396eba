// The file as users write it: its own form, and what they paste from other clients. `dialects.ts` translates it.
import * as z from 'zod/mini';
import { containerFaults, headerFaults, synonymFaults } from './dialect-faults.js';
import { headerName, serverName, toolboxName } from './name-schema.js';
import { always, entryChecks, entryKeys, fileKeys, headers, longestTimerMs, toolboxKeys } from './schema.js';
import { type Fault, ownCheck } from './schema-checks.js';
import { documented, givenText, optional, text } from './schema-values.js';
import type { TimeUnit } from './synonyms.js';
import type { RawEntry } from './transport.js';

const seconds = z.number().check(z.gte(0.001), z.lte(longestTimerMs / 1_000));
const milliseconds = z.number().check(z.multipleOf(1), z.gte(1), z.lte(longestTimerMs));

/** The name of a variable that a reference can contain. */
const referredName = z.string().check(
  ownCheck(
    (name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name),
    () => [{ what: 'Not the name of an environment variable.', remedy: 'Write only its name, e.g. "API_KEY".' }],
  ),
);

const foreign = { foreign: true };
const sameAs = (key: string) => `The same as \`${key}\`.`;

const foreignKeys = {
  environment: optional(entryKeys.env.def.innerType, sameAs('env'), foreign),
  http_headers: optional(headers, sameAs('headers'), foreign),
  env_http_headers: optional(
    z.map(headerName, referredName),
    'HTTP headers whose values are in variables: the name of the variable for each.',
    foreign,
  ),
  bearer_token_env_var: optional(
    referredName,
    'The name of a variable with a token for the header `Authorization: Bearer …`.',
    foreign,
  ),
  enabled: optional(z.boolean(), 'The opposite of `disabled`.', foreign),
  includeTools: optional(z.array(text), sameAs('toolFilters'), foreign),
  enabled_tools: optional(z.array(text), sameAs('toolFilters'), foreign),
  tools: optional(z.array(text), sameAs('toolFilters'), foreign),
  disabled_tools: optional(z.array(text), sameAs('excludeTools'), foreign),
  disabledTools: optional(z.array(text), sameAs('excludeTools'), foreign),
  startup_timeout_sec: optional(seconds, '`startTimeoutMs` in seconds.', foreign),
  tool_timeout_sec: optional(seconds, '`callTimeoutMs` in seconds.', foreign),
};

const urlKeys = [
  ...['url', 'httpUrl', 'serverUrl'].map((key) => ({ required: [key] })),
  { required: ['transport'], properties: { transport: { type: 'object', required: ['url'] } } },
];

function check(faultsOf: (value: RawEntry) => Fault[]): z.core.$ZodCheck<RawEntry> {
  return ownCheck((value) => faultsOf(value).length === 0, faultsOf, always);
}

/** `timeout` is the only key whose meaning depends on the container. */
function entryIn(unit: TimeUnit, title: string) {
  const keys = {
    ...entryKeys,
    command: optional(
      z.union([givenText, z.array(givenText).check(z.minLength(1))]),
      'The program to start, or a list of the program and its arguments. It is started directly, without a shell.',
    ),
    ...foreignKeys,
    oauth: optional(
      z.union([z.literal(false), entryKeys.oauth.def.innerType]),
      'How to log in at the remote server, if it needs more than the server itself offers. `false`, as opencode writes it: no login.',
    ),
    timeout: optional(
      unit === 'seconds' ? seconds : milliseconds,
      `\`callTimeoutMs\`${unit === 'seconds' ? ' in seconds' : ''}. Under \`context_servers\` it is in seconds, else in milliseconds.`,
      foreign,
    ),
  };
  const synonymsAgree = check((entry) => synonymFaults(entry, unit));
  return documented(
    z.object(keys).check(...entryChecks, synonymsAgree, check(headerFaults)),
    'One MCP server: a program to start (`command`) or a remote server (`url`).',
    { title, oneOf: [{ required: ['command'] }, { anyOf: urlKeys }] },
  );
}

const entry = entryIn('milliseconds', 'ServerEntry');
/** The keys that an entry may have. */
export const entryKeyNames: ReadonlySet<string> = new Set(Object.keys(entry.shape));
const named = { minProperties: 1, propertyNames: { minLength: 1 } };
const servers = documented(z.map(serverName, entry).check(z.minSize(1)), 'Servers, by name.', named);
const zedServers = z.map(serverName, entryIn('seconds', 'ZedServerEntry')).check(z.minSize(1));

const inputs = optional(
  z.array(z.unknown()),
  'What VS Code asks the user for. It has no effect: see `${input:…}`.',
  foreign,
);

/** With a server named `servers` it is a block of servers as well; `validate.ts` decides by what is in it. */
const mcp = z.union([
  servers,
  documented(z.object({ servers, inputs }), 'The servers of opencode from version 2, or of the settings of VS Code.', {
    title: 'McpBlock',
  }),
]);

const containers = {
  mcpServers: optional(
    servers,
    'The servers, by name, as in the `mcpServers` block of other MCP clients. At least one.',
    named,
  ),
  servers: optional(servers, 'The servers, as VS Code writes them.', { ...foreign, ...named }),
  context_servers: optional(zedServers, 'The servers, as Zed writes them.', { ...foreign, ...named }),
  mcp: optional(mcp, 'The servers, as opencode writes them, also inside of `servers`.', foreign),
  'mcp.servers': optional(servers, 'The same, as one key.', { ...foreign, ...named }),
  mcp_servers: optional(servers, 'The servers, as Codex writes them.', { ...foreign, ...named }),
  inputs,
};

const oneContainer = Object.keys(containers)
  .filter((key) => key !== 'inputs')
  .map((key) => ({ required: [key] }));

const toolboxEntry = documented(
  z.object({ ...toolboxKeys, ...containers }).check(check((toolbox) => containerFaults(toolbox, 'mcpServers'))),
  'A named group of servers that are opened together.',
  { title: 'ToolboxEntry', oneOf: oneContainer },
);

export const writtenFileSchema = documented(
  z
    .object({
      ...fileKeys,
      toolboxes: optional(z.map(toolboxName, toolboxEntry), 'The toolboxes, by name.', {
        propertyNames: { minLength: 1, not: { const: '*' } },
      }),
      description: optional(
        toolboxKeys.description.def.innerType,
        'Of a file with servers and without toolboxes: the purpose of the toolbox `default`, which has them.',
        foreign,
      ),
      ...containers,
    })
    .check(check((file) => containerFaults(file, 'toolboxes'))),
  'Configuration of MCP Workbench.',
  { title: 'WorkbenchConfigFile', oneOf: [{ required: ['toolboxes'] }, ...oneContainer] },
);

export type WrittenFile = z.output<typeof writtenFileSchema>;
export type WrittenToolbox = z.output<typeof toolboxEntry>;
export type WrittenEntry = z.output<typeof entry>;
