/**
 * What it costs to find one fact in a large result of a real server: whole, with `select` or `find` in the first call, and with the outline and one
 * more call; and what eight clients show of these results by themselves. `npm run bench:needles` prints two tables; the results are made of this
 * repository, so they grow with it.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { countTokens } from './discovery/tokens.mjs';
import { clientRows } from './needles/clients.mjs';
import { needles, root } from './needles/needles.mjs';

const packages = join(root, 'node_modules', '@modelcontextprotocol');

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

/** A session with a client of this name: `ask` returns a result, `use` its texts, joined. */
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
  const session = {
    async ask([name, tool, args], result) {
      const call = { tool: { toolbox: 'dev', server: name, name: tool }, ...(args && { arguments: args }), result };
      const { result: got, error } = await request('tools/call', { name: 'use_tool', arguments: call });
      if (got?.content === undefined || got.isError) throw new Error(JSON.stringify(error ?? got));
      return got;
    },
    use: async (call, result) => textOf(await session.ask(call, result)),
    end: () => child.stdin.end(),
  };
  return session;
}

function textOf({ content }) {
  return content.map(({ text }) => text).join('');
}

const [whole, fitted] = [await connect('bench'), await connect('claude-code')];
const rows = [];
const seen = [];
for (const needle of needles) {
  const { what, call, wanted, expected } = needle;
  const [name, tool] = call;
  const result = await whole.ask(call);
  const raw = textOf(result);
  if (raw.length <= shownMost) throw new Error('A client shows this result whole.', { cause: what });
  const first = await whole.use(call, wanted);
  const outline = await fitted.use(call);
  const of = /"of":"(r\d+)"/.exec(outline)?.[1];
  const second = of === undefined ? '' : await fitted.use([name, tool], Object.assign({ of }, wanted));
  // Without the notes.
  const isFound =
    expected.test(first.split('\n\n')[0]) && expected.test(of === undefined ? outline : second.split('\n\n')[0]);
  const tokens = [raw, first, outline + second].map(countTokens);
  rows.push([what, call.map(String).join('/'), ...tokens, isFound ? 'yes' : 'NO']);
  seen.push({ needle, result });
}
whole.end();
fitted.end();
const total = [2, 3, 4].map((column) => rows.reduce((sum, row) => sum + row[column], 0));
printTable(
  ['what', 'server/tool', 'whole', 'in the first call', 'outline, then one call', 'found'],
  [...rows, ['all', '', ...total, '']],
);
printTable(['client', 'what it shows of a large result', 'tokens shown', 'lost'], clientRows(seen, countTokens));
rmSync(folder, { recursive: true, force: true });

function printTable(head, body) {
  const shown = (cells) =>
    `| ${cells.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en') : cell)).join(' | ')} |`;
  console.log(`${[shown(head), `|${'---|'.repeat(head.length)}`, ...body.map(shown)].join('\n')}\n`);
}
