// @module-tag slow
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { hostNames } from '../../src/serve/host/socket-names.js';
import { callLog } from '../support/call-log.js';
import { runCommand } from '../support/commands.js';
import { devToolbox } from '../support/configs.js';
import { builtAs, hostsNamed } from '../support/hosts.js';
import { linuxOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { call, ending, hostOf, type SharedSessions, shareSessions, textOf } from '../support/shared.js';
import { until, untilHolds } from '../support/until.js';
import type { RunningWorkbench } from '../support/workbench.js';

linuxOnly('counts processes in /proc');

let shared: SharedSessions;

beforeEach(() => {
  shared = shareSessions(devToolbox({ any: fixture(), own: { ...fixture(), perSession: true } }));
});

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runCommand(args, {
    env: { HOME: shared.home, LANG: 'C.UTF-8', ...env },
  });

interface Listed {
  readonly processes: readonly {
    readonly pid: number;
    readonly kind: string;
    readonly sessions: { readonly front: number }[];
    readonly servers: { readonly server: string; readonly pid: number }[];
    readonly calls?: { readonly id: string; readonly progress?: string }[];
  }[];
}

/** Two sessions that have called a server that they share, and each one of its own. */
async function begin() {
  const sessions = [await shared.start(), await shared.start()] as const;
  for (const session of sessions) for (const server of ['any', 'own']) await call(session, 'echo', {}, server);
  const { pid } = hostOf(shared);
  const found = async () => {
    const { processes }: Listed = JSON.parse((await run(['ps', '--json'])).stdout);
    return processes.find((one) => one.pid === pid);
  };
  // The first one is reported after its first answer.
  const host = await until(async () => {
    const listed = await found();
    return listed?.sessions.length === 2 && listed;
  });
  return { sessions, pid, found, host };
}

test('ps and list show the host, its sessions, who uses which process, in what others differ, and a session while its first call runs', async () => {
  const { sessions, pid, host, found } = await begin();
  expect(host).toMatchObject({ kind: 'host', state: 'known' });
  for (const { pid: front } of sessions)
    expect(host.sessions).toContainEqual(expect.objectContaining({ front, cwd: shared.cwd, config: shared.file }));
  expect(host.servers).toHaveLength(3);
  const stdout = await until(async () => {
    const { stdout: shown } = await run(['ps', '--why']);
    return shown.includes(`Host ${pid} (${shared.hostName}), 2 sessions, 3 servers, up`) && shown;
  });
  const both = sessions.map((session) => session.pid).join(', ');
  expect(stdout).toMatch(new RegExp(`server +\\d+ +dev any +for ${both} .*shared`));
  for (const session of sessions)
    expect(stdout).toMatch(new RegExp(`dev own +for ${session.pid} .*not shared: perSession`));
  await untilHolds(async () =>
    expect((await run(['list', '--config', shared.file])).stdout).toMatch(/any +● awake .* raw ×2/),
  );

  const elsewhere = await shared.start({ cwd: '/', env: { DISPLAY: ':7' } });
  await call(elsewhere, 'echo');
  const { servers } = await until(async () => {
    const listed = await found();
    return listed?.sessions.length === 3 && listed;
  });
  const first = servers.find(({ server }) => server === 'any')?.pid;
  const line = new RegExp(`dev any +for ${elsewhere.pid} +shared, but not with ${first}: other cwd, \\$DISPLAY$`, 'm');
  await untilHolds(async () => expect((await run(['ps', '--why'])).stdout).toMatch(line));

  const waiting = await shared.start();
  call(waiting, 'sleep', { ms: 60_000 }).catch(() => {});
  await until(async () => (await found())?.sessions.some(({ front }) => front === waiting.pid));
});

test('ps says why a session runs its servers itself', async () => {
  const own = await shared.start({ env: { WORKBENCH_SHARED: '0' } });
  await call(own, 'echo');
  await untilHolds(async () => {
    const { stdout } = await run(['ps', '--why']);
    expect(stdout).toContain(`Session ${own.pid}, which runs its servers itself`);
    expect(stdout).toContain('sharing is turned off (WORKBENCH_SHARED, CI)');
  });
});

test.each([
  ['in a host', {}],
  ['that runs its servers itself', { env: { WORKBENCH_SHARED: '0' } }],
] as const)(
  'ps and list show a call of a session %s, its first one, and cancel ends it: server and agent are told',
  async (_, launch) => {
    const log = callLog();
    shared = shareSessions(devToolbox({ any: fixture('--log', log.path) }));
    const session = await shared.start(launch);
    const answered = call(session, 'wait_for', { file: '/nowhere/at/all', say: 'indexed 12 of 90' });
    const shown = new RegExp('^ +call +(\\d+-\\d+) +dev any wait_for +for \\d+ s +"indexed 12 of 90"$', 'm');
    const id = await until(async () => shown.exec((await run(['ps'])).stdout)?.[1]);
    const { stdout: list } = await run(['list', '--config', shared.file]);
    expect(list).toMatch(new RegExp(`^    call ${id}: wait_for for \\d+ s "indexed 12 of 90"$`, 'm'));
    const json = JSON.parse((await run(['list', '--json', '--config', shared.file])).stdout);
    const facts = { id, toolbox: 'dev', server: 'any', tool: 'wait_for', client: 'raw', progress: 'indexed 12 of 90' };
    expect(json.toolboxes[0].servers[0].calls).toEqual([{ ...facts, since: expect.any(String) }]);
    const { processes } = JSON.parse((await run(['ps', '--json'])).stdout);
    expect(processes).toContainEqual(expect.objectContaining({ calls: [expect.objectContaining(facts)] }));
    expect((await run(['completion', 'zsh', '--candidates', '--', 'cancel', ''])).stdout.split('\n')).toContain(id);

    for (const other of [`${id}0`, '1-1', 'x', '']) {
      const refused = await run(['cancel', other]);
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain(`No call '${other}' runs. mcp-workbench ps lists the calls that do.`);
    }
    expect(await run(['cancel', id])).toMatchObject({
      code: 0,
      stdout: `✓ call ${id} is cancelled; its agent reads that the user did it\n`,
    });
    const message = await answered;
    expect(textOf(message)).toBe('Cancelled by the user. It is unknown whether the tool took effect.');
    expect(message.result).toMatchObject({ isError: true });
    await until(() => log.methods('notifications/cancelled').length === 1);
    expect((await run(['cancel', id])).code).toBe(2);
    expect((await run(['ps'])).stdout).not.toMatch(/^ +call/m);
  },
);

test('of two hosts, cancel ends the call of the one that runs it, and of two sessions no other call', async () => {
  const other = shareSessions(devToolbox({ any: fixture() }), `${shared.hostName}-2`);
  const sessions = [await shared.start(), await shared.start(), await other.start()];
  const ended: string[] = [];
  // Calls of other tests are shown as well.
  const names = ['one', 'two', 'three'].map((name) => `${name} of ${shared.hostName}`);
  for (const [index, session] of sessions.entries()) {
    const name = names[index] ?? '';
    void call(session, 'wait_for', { file: '/nowhere/at/all', say: name }).then((message) =>
      ended.push(`${name}: ${textOf(message)}`),
    );
  }
  const ids = await until(async () => {
    const { processes }: Listed = JSON.parse(
      (await runCommand(['ps', '--json'], { env: { HOME: shared.home }, everyHost: true })).stdout,
    );
    const calls = processes.flatMap((one) => one.calls ?? []);
    const found = names.flatMap((name) => calls.find(({ progress }) => progress === name)?.id ?? []);
    return found.length === names.length && found;
  });
  expect(new Set(ids).size).toBe(3);
  for (const [index, id] of [...ids.entries()].toReversed()) {
    expect((await run(['cancel', id])).code).toBe(0);
    await until(() => ended.length === names.length - index);
    expect(ended.at(-1)).toMatch(new RegExp(`^${names[index]}: Cancelled by the user`));
  }
});

test('stop ends the host and its servers, and sessions go on with another', async () => {
  const { sessions, pid } = await begin();
  const servers = shared.servers();
  expect(await run(['stop'])).toMatchObject({ code: 0, stdout: expect.stringContaining(`host ${pid} has ended`) });
  expect(shared.servers().filter(({ pid: one }) => servers.some((old) => old.pid === one))).toEqual([]);
  await noticed(sessions, 1);
  for (const session of sessions) expect(textOf(await call(session, 'echo', { text: 'on' }))).toContain('on');
  const next = hostOf(shared).pid;
  expect(next).not.toBe(pid);
  expect(await run(['stop', '1'])).toMatchObject({ code: 2 });
  expect(await run(['stop', String(next)])).toMatchObject({ code: 0 });
  await ending(shared, sessions);
  expect(await run(['stop'])).toMatchObject({ code: 0, stdout: 'No host runs.\n' });
});

test('a session whose host is ended by stop again and again uses the next one each time, with no warning', async () => {
  const { sessions } = await begin();
  for (const [index, round] of ['first', 'second', 'third'].entries()) {
    const { pid } = hostOf(shared);
    expect(await run(['stop'])).toMatchObject({ code: 0 });
    await noticed(sessions, index + 1);
    for (const session of sessions) expect(textOf(await call(session, 'echo', { round }))).toContain(round);
    expect(hostOf(shared).pid).not.toBe(pid);
  }
  for (const session of sessions) expect(session.stderr()).not.toContain('warning');
  await ending(shared, sessions);
});

/** A call before that would be one of the host that ends. */
async function noticed(sessions: readonly RunningWorkbench[], times: number): Promise<void> {
  const ends = (session: RunningWorkbench) => session.stderr().split('was ended; the next call starts another one');
  await until(() => sessions.every((session) => ends(session).length === times + 1));
}

test('a host that does not answer may have started what was started before, for sessions with its name', async () => {
  const { pid } = await begin();
  const list = (...more: string[]) => run(['list', '--config', shared.file, ...more]);
  const another = ['--host-name', `${shared.hostName}.other`];
  // Its tools are written to the cache a moment later.
  await untilHolds(async () => expect((await list()).stdout).toMatch(/any +● awake .* raw ×2 +\d+ tools/));
  process.kill(pid, 'SIGSTOP');
  expect((await list()).stdout).toMatch(new RegExp(`any +● awake\\? \\(session ${pid} does not answer`));
  expect((await list(...another)).stdout).toMatch(/any +○ asleep/);
  process.kill(pid, 'SIGCONT');
  await untilHolds(async () => expect((await list()).stdout).toMatch(/any +● awake .* raw ×2/));
});

test('stop ends a host that is stopped and does not answer', async () => {
  const { pid } = await begin();
  process.kill(pid, 'SIGSTOP');
  expect(await run(['stop'])).toMatchObject({ code: 0 });
  await until(() => shared.hosts().length === 0);
  // Those who look next find nothing, and remove what it has left.
  await untilHolds(async () => {
    expect((await run(['ps'])).stdout).toBe('Nothing runs. Servers start with the first call.\n');
    expect(shared.sockets()).toEqual([]);
  });
});

test('doctor says where the socket is and whose, or why there is no host, and so does list', async () => {
  const { pid } = await begin();
  const named = ['doctor', '--config', shared.file];
  const { stdout } = await run(named);
  expect(stdout).toMatch(
    new RegExp(`Host +✓ process ${pid} at .*${shared.socket.split('/').at(-1)}, user ${process.getuid?.()}, mode 0600`),
  );
  expect((await run(named, { CI: '1' })).stdout).toMatch(
    /Host +\S+ not used, each session runs its servers itself: CI is set/,
  );
  const listed = ['list', '--config', shared.file];
  expect((await run(listed)).stdout).not.toContain('Sessions share no servers');
  expect((await run(listed, { CI: '1' })).stdout).toMatch(/^Sessions share no servers: CI is set\.$/m);
  expect(JSON.parse((await run([...listed, '--json'], { CI: '1' })).stdout)).toMatchObject({ notShared: 'CI is set' });
});

test('ps counts a session of which its host has reported a process but not yet the session itself', async () => {
  const processes = [{ toolbox: 'dev', server: 'any', pid: 4_242, sessions: ['session-1'] }];
  const host = { since: Date.now() - 60_000, processes };
  const status = { pid: process.pid, version: '0.0.0', cwd: '/', sessions: [], host };
  const server = createServer((socket) => void socket.end(`${JSON.stringify({ workbench: 1, status })}\n`));
  await new Promise<void>((resolve) => {
    server.listen(join(dirname(shared.socket), hostNames(shared.hostName, builtAs()).own(process.pid)), resolve);
  });
  onTestFinished(() => void server.close());
  await untilHolds(async () => {
    const { stdout } = await run(['ps', '--why']);
    expect(stdout).toContain(`Host ${process.pid}, 1 session, 1 server, up 1 min`);
    expect(stdout).toMatch(/server +4242 +dev any +for 1 session /);
  });
});

test('list names a session that the host does not serve, and why', async () => {
  const error = { code: 'FAILED', message: 'its rights are not those of the host (NoNewPrivs)' };
  const server = createServer((socket) => void socket.end(`${JSON.stringify({ workbench: 1, error })}\n`));
  await new Promise<void>((resolve) => void server.listen(shared.socket, resolve));
  onTestFinished(() => void server.close());
  const session = await shared.start();
  await call(session, 'echo');
  const why = error.message;
  await untilHolds(async () => {
    const { stdout } = await run(['list', '--config', shared.file]);
    expect(stdout).toContain(`Session ${session.pid} runs its servers itself: ${why}.`);
    expect(stdout.split('runs its servers itself')).toHaveLength(2);
  });
  const { stdout } = await run(['list', '--json', '--config', shared.file]);
  expect(JSON.parse(stdout)).toMatchObject({ withoutHost: [{ pid: session.pid, why }] });
});

test('completion offers the hosts to stop', async () => {
  const { pid } = await begin();
  const { stdout } = await run(['completion', 'zsh', '--candidates', '--', 'stop', '']);
  expect(stdout.split('\n')).toContain(String(pid));
});

test('logs shows what the process of a session itself logs, once and with its process id, and what the host logs about it', async () => {
  const session = await shared.start();
  await call(session, 'echo');
  const lines = async () => (await run(['logs', '-n', '200'])).stdout.split('\n');
  const count = async (text: string) => (await lines()).filter((line) => line.includes(text)).length;
  await until(async () => (await count(`[${session.pid}] mcp-workbench info: dev/any: ready`)) > 0);
  // A line of the host is shown by the session, too: it must not be written twice.
  await until(() => session.stderr().includes('dev/any: ready'));
  process.kill(hostOf(shared).pid, 'SIGKILL');
  await until(() => session.stderr().includes('the host that runs the servers was lost'));
  const lost = `[${session.pid}] mcp-workbench warning: the host that runs the servers was lost`;
  // It is written a moment later, or when the session ends.
  session.end();
  await session.exited;
  expect(await count(lost)).toBe(1);
  expect(await count('dev/any: ready')).toBe(1);
});

test('sessions with another host name have another host, and each command reaches the one it names', async () => {
  const name = `${shared.hostName}.other`;
  const named = ['--host-name', name];
  const session = await shared.start();
  const other = await shared.start({ args: ['--config', shared.file, ...named] });
  for (const one of [session, other]) await call(one, 'echo');
  const [first, second] = [hostOf(shared).pid, hostsNamed(name)[0]?.pid];
  expect(shared.servers()).toHaveLength(2);
  const shown = async (args: readonly string[], everyHost = false) => {
    const env = { HOME: shared.home };
    const { processes }: Listed = JSON.parse((await runCommand(['ps', '--json', ...args], { env, everyHost })).stdout);
    // Sessions of other tests, which run their servers themselves, belong to no host.
    return processes.filter(({ kind }) => kind === 'host').map(({ pid }) => pid);
  };
  // Hosts of other tests are shown as well.
  expect(await shown([], true)).toEqual(expect.arrayContaining([first, second]));
  expect(await shown([])).toEqual([first]);
  const [own] = await shown(named);
  expect(own).toBe(second);
  await untilHolds(async () =>
    expect((await run(['ps', ...named])).stdout).toContain(`Host ${own} (${name}), 1 session`),
  );
  expect((await run(['stop', ...named])).stdout).toContain(`host ${own} has ended`);
  expect(await shown([])).toEqual([first]);
  await call(session, 'echo');
});

test('a host name that could be taken for something else is refused', async () => {
  const { code, stderr } = await run(['ps', '--host-name', '../x']);
  expect(code).toBe(2);
  expect(stderr).toContain("--host-name needs a NAME of at most 64 letters, digits, '.', '_' and '-'.");
});

test('call, doctor, tools and approve use the host that runs, and start no server again', async () => {
  const log = callLog();
  shared = shareSessions(devToolbox({ any: fixture('--log', log.path) }));
  const session = await shared.start();
  await call(session, 'echo');
  // From the directory of the session: its servers run there, and one that ran elsewhere would be another.
  const ask = (...words: string[]) =>
    runCommand([...words, '--config', shared.file], { env: { HOME: shared.home }, cwd: shared.cwd });
  const called = await ask('call', 'dev', 'any', 'echo', 'text=here');
  expect(called.stdout).toContain('here');
  const { servers } = JSON.parse((await ask('doctor', '--json')).stdout);
  expect(servers).toEqual([
    expect.objectContaining({ server: 'any', state: 'well', running: true, latencyMs: expect.any(Number) }),
  ]);
  expect(servers[0]).not.toHaveProperty('startMs');
  expect((await ask('doctor')).stdout).toMatch(/any +\S+ +running/);
  expect((await ask('tools', 'dev', 'any')).code).toBe(0);
  expect((await ask('approve', '--check')).code).toBe(0);
  expect(log.methods('start')).toHaveLength(1);
  expect(shared.servers()).toHaveLength(1);
});

test('a call whose host ends says that it may have taken effect, and a doctor that the host was lost', async () => {
  const log = callLog();
  shared = shareSessions(devToolbox({ any: fixture('--log', log.path), slow: fixture('--start-delay', '60000') }));
  await call(await shared.start(), 'echo');
  const ask = (...words: string[]) =>
    runCommand([...words, '--config', shared.file], { env: { HOME: shared.home }, cwd: shared.cwd });
  const calling = ask('call', 'dev', 'any', 'sleep', 'ms:=60000');
  const doctor = ask('doctor', 'dev', 'slow', '--json');
  await until(() => log.methods('tools/call').length === 2 && shared.servers().length === 2);
  process.kill(hostOf(shared).pid, 'SIGKILL');
  const { code, stderr } = await calling;
  expect(code).toBe(1);
  expect(stderr).toContain("Tool 'sleep' of server 'any' (toolbox 'dev') failed: the host process");
  expect(stderr).toContain('It is unknown whether the tool took effect.');
  expect(stderr).not.toContain('Retry');
  expect((await doctor).stdout).toContain('the host process that runs the servers was lost');
});

test('a configuration that is too long for a host is used by a command itself', async () => {
  const description = 'x'.repeat(5_000_000);
  await call(await shared.start(), 'echo');
  const config = { toolboxes: { dev: { description, mcpServers: { any: fixture() } } } };
  const { code, stdout } = await runCommand(['call', 'dev', 'any', 'echo', 'text=here'], { config });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('here') });
});
