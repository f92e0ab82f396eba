import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { shellQuote } from '../../src/text/shell-quote.js';
import { clientEntry, clientPermissions } from '../support/client-entries.js';
import { runCommand } from '../support/commands.js';
import { devToolbox } from '../support/configs.js';
import { builtProgram } from '../support/launch.js';
import { linuxOnly } from '../support/platform.js';
import { markerVariable, type Process, processesWith } from '../support/processes.js';
import { real } from '../support/servers.js';
import { hostOf, type SharedSessions, shareSessions } from '../support/shared.js';
import { until } from '../support/until.js';
import { endClientsWhenTestFinishes, installWorkbench, runClient } from './client.js';
import { type Model, promptFor, startModel } from './model.js';

linuxOnly('counts processes in /proc');

// It loses what it is to write while it writes. `maxConcurrentCalls` is of the process, whichever session calls.
const memory = { ...real.memory('${HOME}/memory.jsonl'), cwd: '~', maxConcurrentCalls: 1 };

// Codex passes on none of these unless its entry names them.
const desktop = { DISPLAY: ':7', SSH_AUTH_SOCK: '/nowhere/agent', XDG_RUNTIME_DIR: '/nowhere' };

test('two Claude Codes and a Codex that are open at the same time share one host and one memory server', async () => {
  const user = await createUser();
  const clients = Promise.all([
    user.run('claude', '-p', rememberAndRead('Ada'), '--output-format', 'json'),
    user.run('claude', '-p', rememberAndRead('Grace'), '--output-format', 'json'),
    user.run('codex', 'exec', '--json', '--skip-git-repo-check', rememberAndRead('Edsger')),
  ]);
  const entities = ['Ada', 'Grace', 'Edsger'];

  await until(() => user.model.held.length === 3, { withinMs: 120_000, what: 'a result in each client' });
  for (const entity of entities) expect(user.model.held).toContainEqual(expect.stringContaining(entity));
  const host = hostOf(user.shared);
  expect(user.servers()).toHaveLength(1);
  // Sessions are reported after their first answer.
  const { sessions, servers } = await until(async () => {
    const reported = await user.reportOf(host);
    return reported?.sessions.length === 3 && reported;
  });
  const names = sessions.map(({ client }) => client.name);
  expect(names.toSorted()).toEqual(['claude-code', 'claude-code', 'codex-mcp-client']);
  expect(servers.map(({ pid }) => pid)).toEqual(user.servers().map(({ pid }) => pid));
  expect(servers[0]?.sessions.toSorted()).toEqual(sessions.map(({ id }) => id).toSorted());

  user.model.release();
  for (const printed of await clients) {
    for (const entity of entities) expect(lastWordsIn(printed)).toContain(`"name":"${entity}"`);
  }
  const left = () => [...user.shared.hosts(), ...user.servers()];
  await until(() => left().length === 0, { withinMs: 15_000, what: 'the end of host and server' });
});

/** What `ps` says about a host. */
interface Report {
  readonly pid: number;
  readonly sessions: readonly { readonly id: string; readonly client: { readonly name: string } }[];
  readonly servers: readonly { readonly pid: number; readonly sessions: readonly string[] }[];
}

/** One home, with the entries of docs/clients.md. */
interface User {
  readonly shared: SharedSessions;
  readonly model: Model;
  /** Runs a client in a directory of its own and returns what it printed. */
  run(program: string, ...args: string[]): Promise<string>;
  /** The processes of the memory server. */
  servers(): Process[];
  reportOf(host: Process): Promise<Report | undefined>;
}

async function createUser(): Promise<User> {
  const model = await startModel();
  const { through } = model;
  const shared = shareSessions(devToolbox({ memory }));
  endClientsWhenTestFinishes(shared.marker);
  writeClientFiles(shared.home, model);
  const workbench = [process.execPath, builtProgram, '--config', shared.file, '--host-name', shared.hostName].map(
    shellQuote,
  );
  const bin = installWorkbench(shared.dir, `exec ${workbench.join(' ')} "$@"`);
  const env = {
    ...desktop,
    HOME: shared.home,
    // Another one than that of the home: in there Codex adds less to PATH.
    TMPDIR: mkdtempSync(join(shared.dir, 'tmp-')),
    PATH: [bin, process.env['PATH']].join(delimiter),
    [markerVariable]: shared.marker,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'none',
  };
  return {
    shared,
    model,
    run: (program, ...args) =>
      runClient(program, args, { env, cwd: mkdtempSync(join(shared.dir, 'project-')), through }),
    servers: () => processesWith(shared.marker).filter(({ command }) => command.includes('server-memory/dist/')),
    async reportOf(host) {
      const { stdout } = await runCommand(['ps', '--json'], { through, env: { HOME: shared.home } });
      const { processes }: { readonly processes: readonly Report[] } = JSON.parse(stdout);
      return processes.find(({ pid }) => pid === host.pid);
    },
  };
}

function writeClientFiles(home: string, { url }: Model): void {
  const provider = `{ name = "Scripted", base_url = "${url}/v1", wire_api = "responses" }`;
  const model = `model = "scripted"\nmodel_provider = "scripted"\nmodel_providers.scripted = ${provider}\n`;
  const files = {
    '.claude.json': clientEntry('Claude Code'),
    '.claude/settings.json': clientPermissions('Claude Code'),
    '.codex/config.toml': `${model}\n${clientEntry('Codex')}env_vars = ${JSON.stringify(Object.keys(desktop))}\n`,
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), content);
  }
}

function rememberAndRead(entity: string): string {
  const call = (name: string, args: object) => ({ tool: { toolbox: 'dev', server: 'memory', name }, arguments: args });
  const entities = [{ name: entity, entityType: 'person', observations: [] }];
  return promptFor([call('create_entities', { entities }), call('read_graph', {})]);
}

/** The last message of the model, in the JSON that either client prints. */
function lastWordsIn(printed: string): string {
  const [claude, codex] = [/"result":("(?:[^"\\]|\\.)*")/, /"agent_message","text":("(?:[^"\\]|\\.)*")/];
  const words = claude.exec(printed)?.[1] ?? codex.exec(printed)?.[1];
  if (words === undefined) throw new Error(`no last words:\n${printed}`);
  return JSON.parse(words);
}
