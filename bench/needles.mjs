/**
 * What it costs to find one fact in a large result of a real server: whole, with `select` or `find` in the first call, and with the outline and one
 * more call. `npm run bench:needles` prints a table; the results are made of this repository, so they grow with it.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { countTokens } from './discovery/tokens.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const packages = join(root, 'node_modules', '@modelcontextprotocol');
const read = (path) => ['files', 'read_text_file', { path: join(root, path) }];
const tree = (path) => ['files', 'directory_tree', { path: join(root, path) }];
const graph = ['memory', 'read_graph', {}];

/** What is asked, the call whose result has it, what is wanted of the result, and what the answer has to contain. */
const needles = [
  [
    'the locked version of vitest',
    read('package-lock.json'),
    { select: 'packages."node_modules/vitest".version' },
    /"\d+\.\d+\.\d+"/,
  ],
  [
    'packages that run a script when they are installed',
    read('package-lock.json'),
    { select: 'items(packages)[?@[1].hasInstallScript][0]' },
    /esbuild/,
  ],
  ['the number of locked packages', read('package-lock.json'), { select: 'length(keys(packages))' }, /^\d+$/],
  ['the engines that zod needs', read('package-lock.json'), { find: 'node_modules/zod"' }, /zod/],
  [
    'parameters of a recorded tool',
    read('test/fixtures/real-tools.json'),
    { find: 'create_pull_request' },
    /create_pull_request/,
  ],
  [
    'the values of an option of Biome',
    read('node_modules/@biomejs/biome/configuration_schema.json'),
    { select: '"$defs".ArrowParentheses.oneOf[].const' },
    /"asNeeded"/,
  ],
  [
    'files of the MCP server package',
    tree('node_modules/@modelcontextprotocol'),
    { select: "[?name=='server-memory'].children[].name" },
    /package\.json/,
  ],
  ['where zod has its locales', tree('node_modules/zod'), { find: 'locales' }, /locales/],
  [
    'folders of one of all packages',
    tree('node_modules'),
    { select: "[?name=='vitest'].children[] | [?type=='directory'].name" },
    /"dist"/,
  ],
  [
    'where Vite reads an option',
    read('node_modules/vite/dist/node/chunks/node.js'),
    { find: 'strictPort' },
    /strictPort/,
  ],
  ['a line of a bundle', read('node_modules/zod/v4/core/schemas.js'), { find: 'emoji' }, /emoji/],
  ['one of 2,000 entities', graph, { select: "entities[?name=='person 1234'].observations[]" }, /likes 1234/],
  [
    'who manages a person',
    graph,
    { select: "relations[?to=='person 1999' && relationType=='manages'].from" },
    /person \d+/,
  ],
  ['how many are of a type', graph, { select: "length(entities[?entityType=='team'])" }, /^\d+$/],
];

/** Characters of the largest result that any of the known clients shows whole. */
const shownMost = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'needles-'));
const numbers = Array.from({ length: 2_000 }, (_, at) => at);
writeFileSync(
  join(folder, 'memory.jsonl'),
  [
    ...numbers.map((at) => ({
      type: 'entity',
      name: `person ${at}`,
      entityType: at % 50 === 0 ? 'team' : 'person',
      observations: [`likes ${at}`, 'has worked on several projects of the department in the last years'],
    })),
    ...numbers.slice(1).map((at) => ({
      type: 'relation',
      from: `person ${at - 1}`,
      to: `person ${at}`,
      relationType: at % 2 ? 'manages' : 'knows',
    })),
  ]
    .map((line) => JSON.stringify(line))
    .join('\n'),
);
const config = join(folder, 'workbench-config.json');
const server = (name, args, env) => ({
  command: process.execPath,
  args: [join(packages, name, 'dist', 'index.js'), ...args],
  env,
});
const mcpServers = {
  files: server('server-filesystem', [root]),
  memory: server('server-memory', [], { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }),
};
writeFileSync(config, JSON.stringify({ toolboxes: { dev: { mcpServers } } }));

/** A session with a client of this name: `use` returns the texts of a result, joined. */
async function connect(client) {
  const env = { PATH: process.env.PATH, HOME: folder, WORKBENCH_SHARED: '0' };
  const child = spawn(process.execPath, [join(root, 'dist', 'main.js'), '--config', config], {
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
  });
  let last = 0;
  const request = (method, params) =>
    new Promise((resolve) => {
      waiting.set(++last, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: last, method, params })}\n`);
    });
  const clientInfo = { name: client, version: '1' };
  await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  return {
    async use([name, tool, args], result) {
      const call = { tool: { toolbox: 'dev', server: name, name: tool }, ...(args && { arguments: args }), result };
      const { result: got, error } = await request('tools/call', { name: 'use_tool', arguments: call });
      if (got?.content === undefined || got.isError) throw new Error(JSON.stringify(error ?? got));
      return got.content.map(({ text }) => text).join('');
    },
    end: () => child.stdin.end(),
  };
}

const [whole, fitted] = [await connect('bench'), await connect('claude-code')];
const rows = [];
for (const [what, [name, tool, args], wanted, expected] of needles) {
  const raw = await whole.use([name, tool, args]);
  const first = await whole.use([name, tool, args], wanted);
  const outline = await fitted.use([name, tool, args]);
  const of = /"of":"(r\d+)"/.exec(outline)?.[1];
  const second = of === undefined ? '' : await fitted.use([name, tool], Object.assign({ of }, wanted));
  // Without the notes.
  if (raw.length <= shownMost) throw new Error('A client shows this result whole.', { cause: what });
  const isFound =
    expected.test(first.split('\n\n')[0]) && expected.test(of === undefined ? outline : second.split('\n\n')[0]);
  rows.push([
    what,
    `${name}/${tool}`,
    countTokens(raw),
    countTokens(first),
    countTokens(outline + second),
    isFound ? 'yes' : 'NO',
  ]);
}
whole.end();
fitted.end();
const total = [2, 3, 4].map((column) => rows.reduce((sum, row) => sum + row[column], 0));
const shown = (row) =>
  `| ${row.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en') : cell)).join(' | ')} |`;
console.log(
  '| what | server/tool | whole | in the first call | outline, then one call | found |\n|---|---|---|---|---|---|',
);
for (const row of [...rows, ['all', '', ...total, '']]) console.log(shown(row));
rmSync(folder, { recursive: true, force: true });
