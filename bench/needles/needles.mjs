import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path) => ['files', 'read_text_file', { path: join(root, path) }];
const tree = (path) => ['files', 'directory_tree', { path: join(root, path) }];
const lock = read('package-lock.json');
const graph = ['memory', 'read_graph', {}];

/**
 * What is asked, the call whose result has it, what is wanted of the result, what the answer has to contain, and where it stands in
 * the text of the result: a client that shows one of the matches of `any`, or each of `all`, has not lost it. Without a pattern it takes the
 * whole result, as counting does.
 */
export const needles = [
  {
    what: 'the locked version of vitest',
    call: lock,
    wanted: { select: 'packages."node_modules/vitest".version' },
    expected: /"\d+\.\d+\.\d+"/,
    any: /"node_modules\/vitest": \{\s*"version": "[^"]+"/g,
  },
  {
    what: 'packages that run a script when they are installed',
    call: lock,
    wanted: { select: 'items(packages)[?@[1].hasInstallScript][0]' },
    expected: /esbuild/,
    all: /"node_modules\/[^"]+": \{(?:(?!"node_modules\/)[^])*?"hasInstallScript": true/g,
  },
  {
    what: 'the number of locked packages',
    call: lock,
    wanted: { select: 'length(keys(packages))' },
    expected: /^\d+$/,
  },
  {
    what: 'the engines that zod needs',
    call: lock,
    wanted: { find: 'node_modules/zod"' },
    expected: /zod/,
    any: /"node_modules\/zod": \{[^]*?\n {4}\}/g,
  },
  {
    what: 'parameters of a recorded tool',
    call: read('test/fixtures/real-tools.json'),
    wanted: { find: 'create_pull_request' },
    expected: /create_pull_request/,
    any: /"name": "create_pull_request"[^]*?"required": \[[^\]]*\]/g,
  },
  {
    what: 'the values of an option of Biome',
    call: read('node_modules/@biomejs/biome/configuration_schema.json'),
    wanted: { select: '"$defs".ArrowParentheses.oneOf[].const' },
    expected: /"asNeeded"/,
    any: /"ArrowParentheses": \{[^]*?"const": "asNeeded"/g,
  },
  {
    what: 'files of the MCP server package',
    call: tree('node_modules/@modelcontextprotocol'),
    wanted: { select: "[?name=='server-memory'].children[].name" },
    expected: /package\.json/,
    any: /\n {2}\{\s*"name": "server-memory"[^]*?\n {8}"name": "package\.json"/g,
  },
  {
    what: 'where zod has its locales',
    call: tree('node_modules/zod'),
    wanted: { find: 'locales' },
    expected: /locales/,
    any: /"name": "locales"/g,
  },
  {
    what: 'folders of one of all packages',
    call: tree('node_modules'),
    wanted: { select: "[?name=='vitest'].children[] | [?type=='directory'].name" },
    expected: /"dist"/,
    any: /\n {2}\{\s*"name": "vitest",\s*"type": "directory"[^]*?\n {8}"name": "dist"/g,
  },
  {
    what: 'where Vite reads an option',
    call: read('node_modules/vite/dist/node/chunks/node.js'),
    wanted: { find: 'strictPort' },
    expected: /strictPort/,
    any: /strictPort/g,
  },
  {
    what: 'a line of a bundle',
    call: read('node_modules/zod/v4/core/schemas.js'),
    wanted: { find: 'emoji' },
    expected: /emoji/,
    any: /emoji/gi,
  },
  {
    what: 'one of 2,000 entities',
    call: graph,
    wanted: { select: "entities[?name=='person 1234'].observations[]" },
    expected: /likes 1234/,
    any: /"likes 1234"/g,
  },
  {
    what: 'who manages a person',
    call: graph,
    wanted: { select: "relations[?to=='person 1999' && relationType=='manages'].from" },
    expected: /person \d+/,
    any: /\{[^{}]*"to": ?"person 1999"[^{}]*\}/g,
  },
  {
    what: 'how many are of a type',
    call: graph,
    wanted: { select: "length(entities[?entityType=='team'])" },
    expected: /^\d+$/,
  },
];
