import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reportProcesses } from '../../src/serve/host/process/report-processes.js';
import { callLog } from '../support/call-log.js';
import type { ServerEntry } from '../support/configs.js';
import { temporaryDirectory } from '../support/launch.js';
import { linuxOnly } from '../support/platform.js';
import { scriptedServersWith } from '../support/processes.js';
import { fixture } from '../support/servers.js';
import { type SessionSpec, startSharedEngine, textOf } from '../support/shared-engine.js';
import { until } from '../support/until.js';

// Two sessions of one engine, each with one call to its server: are there one or two processes?

type Difference = Partial<Omit<SessionSpec, 'servers'>> & { readonly entry?: ServerEntry; readonly server?: string };

const prints = (token: string): ServerEntry => ({
  envCommand: [process.execPath, '-p', `'TOKEN=${token}'`],
});

interface Row {
  readonly what: string;
  readonly processes: 1 | 2;
  readonly both?: ServerEntry;
  readonly flags?: readonly string[];
  readonly one?: Difference;
  readonly other?: Difference;
}

const elicitation = { capabilities: { elicitation: {} } };

const question = {
  method: 'elicitation/create',
  params: { message: 'Go on?', requestedSchema: { type: 'object', properties: {} } },
};

const rows: readonly Row[] = [
  { what: 'equal entries', processes: 1 },
  { what: 'another directory of the session', processes: 2, other: { cwd: '/' } },
  {
    what: 'an entry with a directory of its own, in sessions of two directories',
    processes: 1,
    both: { cwd: '/' },
    other: { cwd: '/' },
  },
  { what: 'another value of a variable', processes: 2, other: { entry: { env: { TOKEN: 'other' } } } },
  {
    what: 'another secret behind the same reference',
    processes: 2,
    both: { env: { TOKEN: '${TOKEN}' } },
    one: { env: { TOKEN: 'a' } },
    other: { env: { TOKEN: 'b' } },
  },
  { what: 'a variable that servers do not get', processes: 1, other: { env: { TOKEN: 'b' } } },
  { what: 'another PATH', processes: 2, other: { env: { PATH: `${process.env['PATH']}:/other` } } },
  {
    what: 'directories that Codex puts before PATH for programs of its own',
    processes: 1,
    one: {
      env: { PATH: `/me/.codex/tmp/arg0-linux/codex-arg0wa1mod:/lib/codex/vendor/codex-path:${process.env['PATH']}` },
    },
    other: { env: { PATH: `/me/.codex/tmp/arg0-linux/codex-arg0PTc6NK:${process.env['PATH']}` } },
  },
  { what: 'another display', processes: 2, other: { env: { DISPLAY: ':7' } } },
  {
    what: 'another terminal, shell and desktop session',
    processes: 1,
    other: { env: { TERM: 'vt100', SHELL: '/bin/other', XDG_SESSION_ID: '7' } },
  },
  { what: 'other arguments', processes: 2, other: { entry: { args: [...(fixture().args ?? []), '--name', 'other'] } } },
  { what: 'another protocol', processes: 2, other: { entry: { protocol: 'legacy' } } },
  {
    what: 'a modern server whose entry names the protocol',
    processes: 1,
    both: { protocol: '2026-07-28' },
    flags: ['--modern'],
  },
  {
    what: 'a directory in the middle of PATH that is called as one of Codex',
    processes: 2,
    other: { env: { PATH: `${process.env['PATH']}:/me/codex-path` } },
  },
  { what: 'another principal', processes: 2, other: { principal: 'somebody else' } },
  { what: 'roots', processes: 2, other: { entry: { roots: true } } },
  { what: 'another toolbox', processes: 2, other: { toolbox: 'other' } },
  { what: 'other limits and filters', processes: 1, other: { entry: { callTimeoutMs: 5_000, toolFilters: ['echo'] } } },
  { what: '"perSession": true', processes: 2, both: { perSession: true } },
  { what: '"perSession": true in one of the files', processes: 2, other: { entry: { perSession: true } } },
  { what: 'a legacy server and a client with other capabilities', processes: 2, other: elicitation },
  {
    what: 'a modern server and a client with other capabilities',
    processes: 1,
    flags: ['--modern'],
    other: elicitation,
  },
  { what: 'a modern client and a legacy one', processes: 1, other: { isModern: true } },
  { what: 'programs that print the same variables', processes: 1, both: prints('a') },
  { what: 'programs that print others', processes: 2, one: { entry: prints('a') }, other: { entry: prints('b') } },
];

test.each(rows)('$what: $processes', async ({ processes, both, flags = [], one, other }) => {
  linuxOnly('counts processes in /proc');
  const { open, marker } = startSharedEngine();
  const spec = ({ entry, ...difference }: Difference = {}) => ({
    ...difference,
    servers: { any: { ...fixture(...flags), ...both, ...entry } },
  });
  const agents = await Promise.all([open(spec(one)), open(spec(other))]);
  // At the same moment, and again when both are ready.
  const first = await Promise.all(agents.map((agent) => agent.call(1, 'echo', { a: 1 })));
  const again = await Promise.all(agents.map((agent) => agent.call(2, 'echo', { a: 2 })));
  expect([...first, ...again].map(textOf)).toEqual(['{"a":1}', '{"a":1}', '{"a":2}', '{"a":2}']);
  expect(scriptedServersWith(marker)).toHaveLength(processes);
});

test('a server gets the environment and the directory of the session that started it', async () => {
  const { open } = startSharedEngine();
  const cwd = temporaryDirectory();
  const servers = { any: fixture() };
  const first = await open({ servers, cwd, env: { TERM: 'first', LANG: 'de_DE.UTF-8' } });
  const joined = await open({ servers, cwd, env: { TERM: 'second', LANG: 'de_DE.UTF-8' } });
  const environments = [await first.call(1, 'env'), await joined.call(1, 'env')].map((one) => JSON.parse(textOf(one)));
  expect(environments).toMatchObject([{ TERM: 'first', LANG: 'de_DE.UTF-8' }, { TERM: 'first' }]);
  expect(textOf(await joined.call(2, 'cwd'))).toBe(cwd);
});

test('a process lives as long as the last session that uses it, or until it has been idle for the longest of their times', async () => {
  linuxOnly('counts processes in /proc');
  const { open, marker } = startSharedEngine();
  const patient = { any: { ...fixture(), idleTimeoutMs: 0 } };
  const hasty = { any: { ...fixture(), idleTimeoutMs: 50 } };
  const [one, other] = [await open({ servers: patient }), await open({ servers: hasty })];
  for (const agent of [one, other]) await agent.call(1, 'echo');
  await until(() => other.lines.some((line) => line.includes('dev/any: idle')));
  expect(scriptedServersWith(marker)).toHaveLength(1);
  const [before] = scriptedServersWith(marker);
  await other.call(2, 'echo');
  expect(scriptedServersWith(marker)).toEqual([before]);
  await one.leave();
  await until(() => scriptedServersWith(marker).length === 0, { what: 'the end of the idle process' });
});

test('a session that leaves ends its own calls and nothing else', async () => {
  linuxOnly('counts processes in /proc');
  const log = callLog();
  const { open, marker } = startSharedEngine();
  const servers = { any: fixture('--log', log.path) };
  const [one, other] = [await open({ servers }), await open({ servers })];
  one.begin(1, 'sleep', { ms: 60_000 });
  other.begin(1, 'sleep', { ms: 1_000 });
  await until(() => log.methods('tools/call').length === 2);
  await one.leave();
  expect(scriptedServersWith(marker)).toHaveLength(1);
  const slept = await until(() => other.received.find(({ id }) => id === 1));
  expect(textOf(slept)).toBe('slept 1000 ms');
  expect(one.received.filter(({ id }) => id === 1)).toEqual([]);
  await until(() => log.methods('notifications/cancelled').length === 1);
  await other.leave();
  expect(scriptedServersWith(marker)).toHaveLength(0);
  expect(log.methods('start')).toHaveLength(1);
});

test.each([
  ['that its server never answers', false, 'hang', {}],
  ['that its server asks about', false, 'ask', question],
  ['that its server asks about, of a modern client', true, 'ask', question],
])('a session has left when the process of a call %s has ended', async (_, isModern, name, args) => {
  linuxOnly('counts processes in /proc');
  const log = callLog();
  const { open, marker, engine } = startSharedEngine();
  const agent = await open({ servers: { any: fixture('--log', log.path) }, isModern, ...elicitation });
  agent.begin(1, name, args);
  await until(() => log.methods('tools/call').length === 1);
  if (name === 'ask') await until(() => JSON.stringify(agent.received).includes('Go on?'));
  await agent.leave();
  expect(engine.processes()).toHaveLength(0);
  expect(scriptedServersWith(marker)).toEqual([]);
});

test('an edit of one session’s file ends its use of a server and restarts nothing of another session', async () => {
  linuxOnly('counts processes in /proc');
  const { open, marker } = startSharedEngine();
  const servers = { any: fixture() };
  const [one, other] = [await open({ servers }), await open({ servers })];
  for (const agent of [one, other]) await agent.call(1, 'echo');
  const [shared] = scriptedServersWith(marker);
  await one.apply((config) => config.replace('scripted-server.mjs"', 'scripted-server.mjs","--name","edited"'));
  await one.call(2, 'echo');
  await other.call(2, 'echo');
  await until(() => scriptedServersWith(marker).length === 2);
  expect(scriptedServersWith(marker)).toContainEqual(shared);
  await one.apply((config) => config);
  await one.call(3, 'echo');
  await until(() => scriptedServersWith(marker).length === 1);
  expect(scriptedServersWith(marker)).toEqual([shared]);
});

test('a second process with the same names has a log file of its own', async () => {
  const { open, home, engine } = startSharedEngine();
  const [one, other] = [
    await open({ servers: { any: fixture('--stderr', 'of one') } }),
    await open({ servers: { any: fixture('--stderr', 'of two') } }),
  ];
  for (const agent of [one, other]) await agent.call(1, 'echo');
  const logs = engine.processes().map(({ log }) => log ?? '');
  expect(logs.map((file) => file.replace(home, '').split('/').at(-1))).toEqual(['any.log', 'any.2.log']);
  await engine.close();
  expect(logs.map((file) => readFileSync(file, 'utf8').match(/\| of .*/g))).toEqual([['| of one'], ['| of two']]);
});

test('the pool says which process is used by which session, and why it is not shared', async () => {
  const { open, engine } = startSharedEngine();
  const servers = { any: fixture(), own: { ...fixture(), perSession: true } };
  const agents = [await open({ servers }), await open({ servers })];
  for (const agent of agents) await agent.open(1);
  const seen = engine
    .processes()
    .map(({ server, sessions, reason, pid }) => ({ server, sessions, reason, hasPid: (pid ?? 0) > 0 }));
  expect(seen).toEqual([
    { server: 'any', sessions: ['session-1', 'session-2'], reason: undefined, hasPid: true },
    { server: 'own', sessions: ['session-1'], reason: 'perSession', hasPid: true },
    { server: 'own', sessions: ['session-2'], reason: 'perSession', hasPid: true },
  ]);
});

test('processes with the same names are reported with what they differ in, by name and without a value', async () => {
  const { open, engine } = startSharedEngine();
  const entry = { ...fixture(), env: { TOKEN: '${TOKEN:-none}' } };
  const specs: SessionSpec[] = [
    { servers: { any: entry } },
    { servers: { any: entry }, cwd: '/' },
    { servers: { any: entry }, env: { TOKEN: 'a-secret', DISPLAY: ':7', TERM: 'vt100' } },
    { servers: { any: { ...entry, args: [...(entry.args ?? []), '--name', 'x'], protocol: 'legacy' } } },
    { servers: { any: entry }, ...elicitation },
    { servers: { any: { ...entry, perSession: true } }, cwd: '/' },
  ];
  for (const spec of specs) await (await open(spec)).call(1, 'echo');
  const reported = reportProcesses(engine.processes());
  expect(
    Object.fromEntries(reported.map(({ sessions, differsIn, reason }) => [sessions[0], differsIn ?? reason])),
  ).toEqual({
    'session-1': undefined,
    'session-2': ['cwd'],
    'session-3': ['$TOKEN', 'secrets', '$DISPLAY'],
    'session-4': ['args', 'protocol'],
    'session-5': ['capabilities of the client'],
    'session-6': 'perSession',
  });
  expect(JSON.stringify(reported)).not.toContain('a-secret');
});
