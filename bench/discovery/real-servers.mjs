import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { printTable } from '../../scripts/markdown.mjs';
import { openAnswer, prettyAnswer } from './answers.mjs';
import { countTokens } from './tokens.mjs';

const require = createRequire(import.meta.url);
const limitMs = 20_000;
const servers = [
  { server: 'everything', package: '@modelcontextprotocol/server-everything', args: [] },
  { server: 'filesystem', package: '@modelcontextprotocol/server-filesystem', args: [tmpdir()] },
  { server: 'memory', package: '@modelcontextprotocol/server-memory', args: [] },
];

/** The cost of opening real servers, each in a toolbox of its own. */
export async function realServers(workbench) {
  const rows = await Promise.all(
    servers.map(async (entry) => {
      const sources = [{ toolbox: entry.server, server: entry.server, tools: await toolsOf(entry) }];
      const open = (request) => openAnswer(workbench, entry.server, sources, request);
      const answers = [
        prettyAnswer(entry.server, sources),
        await open({}),
        await open({ detail: 'signatures' }),
        await open({ detail: 'names' }),
      ];
      const tokens = answers.map((answer) => countTokens(answer).toLocaleString('en'));
      return [entry.package, String(sources[0].tools.length), ...tokens];
    }),
  );
  return printTable([['real server, tokens per open', 'tools', 'naive', 'default', 'signatures', 'names'], ...rows]);
}

async function toolsOf({ package: name, args }) {
  const { bin } = require(`${name}/package.json`);
  const program = require.resolve(`${name}/${Object.values(bin)[0]}`);
  const child = spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'ignore'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  try {
    return await ask(child);
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
  }
}

async function ask(child) {
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'bench', version: '1' };
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
  for await (const line of createInterface(child.stdout)) {
    const { id, result } = JSON.parse(line);
    if (id === 2) return result.tools;
    if (id !== 1) continue;
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/list' });
  }
  throw new Error('The server exited before it listed its tools');
}
