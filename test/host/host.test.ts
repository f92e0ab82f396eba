// @module-tag slow
import { appendFileSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type CallLog, callLog } from '../support/call-log.js';
import { devToolbox } from '../support/configs.js';
import { linuxOnly } from '../support/platform.js';
import { copyProgram } from '../support/program-copy.js';
import { fixture } from '../support/servers.js';
import { call, ending, hostOf, type SharedSessions, shareSessions, textOf, use } from '../support/shared.js';
import { until } from '../support/until.js';
import type { Message, RunningWorkbench } from '../support/workbench.js';

linuxOnly('counts processes in /proc');

const ownServers = 'this session runs its servers itself';

function sharedWithLog(): { shared: SharedSessions; log: CallLog } {
  const log = callLog();
  return { shared: shareSessions(devToolbox({ any: fixture('--log', log.path) })), log };
}

/** Sends a call that is not answered, and waits until its server has it. */
async function hang(session: RunningWorkbench, log: CallLog, mark: string): Promise<void> {
  session.send({ id: mark, method: 'tools/call', params: use('hang', { mark }) });
  await until(() => callsWith(log, mark).length > 0);
}

function callsWith(log: CallLog, mark: string) {
  return log.methods('tools/call').filter((entry) => JSON.stringify(entry.arguments).includes(mark));
}

function messagesOf(session: RunningWorkbench): (Message & { id?: unknown })[] {
  return session.lines.map((line) => JSON.parse(line));
}

/** Makes a call whose server asks the user something. The id of the question. */
async function questionIn(session: RunningWorkbench, id: string): Promise<unknown> {
  const params = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
  session.send({ id, method: 'tools/call', params: use('ask', { method: 'elicitation/create', params }) });
  const asked = () => messagesOf(session).find(({ method }) => method === 'elicitation/create');
  return (await until(asked)).id;
}

function answersTo(session: RunningWorkbench, id: string): string[] {
  return session.lines.filter((line) => JSON.parse(line).id === id);
}

describe('a host that is killed', () => {
  test('withdraws the questions that it has asked', async () => {
    const { shared } = sharedWithLog();
    const session = await shared.start({ capabilities: { elicitation: {} } });
    const id = await questionIn(session, 'asks');
    process.kill(hostOf(shared).pid, 'SIGKILL');
    expect(textOf(await session.answerTo('asks'))).toContain('unknown whether');
    const withdrawn = messagesOf(session).find(({ method }) => method === 'notifications/cancelled');
    expect(withdrawn?.params).toEqual({ requestId: id, reason: 'the host that asked was lost' });
    session.send({ id, result: { action: 'accept', content: {} } });
    expect(textOf(await call(session, 'echo', { text: 'again' }))).toContain('again');
  });

  test('twice within ten seconds is not used again by that session, which says so once', async () => {
    const { shared } = sharedWithLog();
    const session = await shared.start();
    for (let round = 0; round < 2; round++) {
      await call(session, 'echo');
      process.kill(hostOf(shared).pid, 'SIGKILL');
      await until(() => session.stderr().split(/was lost/).length === round + 2);
    }
    for (const text of ['one', 'two']) expect(textOf(await call(session, 'echo', { text }))).toContain(text);
    expect(shared.hosts()).toEqual([]);
    expect(session.stderr().split(ownServers)).toHaveLength(2);
  });

  test('ends in order when it gets SIGTERM, and sessions go on with another', async () => {
    const { shared, log } = sharedWithLog();
    const session = await shared.start();
    await hang(session, log, 'pending');
    const { pid } = hostOf(shared);
    process.kill(pid, 'SIGTERM');
    expect(textOf(await session.answerTo('pending'))).toContain('unknown whether');
    expect(textOf(await call(session, 'echo', { text: 'next' }))).toContain('next');
    await until(() => shared.hosts().every((host) => host.pid !== pid));
    await ending(shared, [session]);
  });
});

test('a long call does not count as silence of the host', async () => {
  const { shared } = sharedWithLog();
  const session = await shared.start();
  expect(textOf(await call(session, 'sleep', { ms: 13_000 }))).toContain('slept');
  expect(session.stderr()).not.toContain('lost');
});

test('a host that is stopped ends as well when its last session ends, though that has not noticed it', async () => {
  const { shared } = sharedWithLog();
  const session = await shared.start();
  await call(session, 'echo');
  process.kill(hostOf(shared).pid, 'SIGSTOP');
  await ending(shared, [session]);
});

test('a host that is busy for longer than one may be silent loses no call, and leaves no file', async () => {
  const shared = shareSessions(devToolbox({ any: fixture() }));
  const { main, host } = copyProgram(shared.dir);
  // From when it has its thread on.
  const block = 'const ends = performance.now() + 13_000; while (performance.now() < ends);';
  appendFileSync(host, `process.once('worker', () => setTimeout(() => { ${block} }, 500));`);
  const session = await shared.start({ program: main });
  session.send({ id: 'pending', method: 'tools/call', params: use('sleep', { ms: 3_000 }) });
  const isBusy = () => shared.sockets().some((name) => name.endsWith('.busy'));
  await until(isBusy, { what: 'the sign of life' });
  expect(textOf(await session.answerTo('pending'))).toBe('slept 3000 ms');
  expect(session.stderr()).not.toContain('lost');
  await until(() => !isBusy());
  await ending(shared, [session]);
});

test('a host whose socket is deleted serves its sessions to the end, and new ones have another', async () => {
  const { shared } = sharedWithLog();
  const first = await shared.start();
  await call(first, 'echo');
  const old = hostOf(shared).pid;
  unlinkSync(shared.socket);
  const second = await shared.start();
  await call(second, 'echo');
  expect(shared.hosts()).toHaveLength(2);
  expect(textOf(await call(first, 'echo', { text: 'still' }))).toContain('still');
  first.end();
  await until(() => shared.hosts().every(({ pid }) => pid !== old), { withinMs: 30_000 });
  // It has not taken the name of the other with it.
  const third = await shared.start();
  await call(third, 'echo');
  expect(shared.hosts()).toHaveLength(1);
  await ending(shared, [second, third]);
});

describe('what answers at the socket', () => {
  const answers: readonly (readonly [string, string, string])[] = [
    ['is no host', 'hello\n', 'another program answers'],
    ['sends no end of a line', 'x'.repeat(100_000), 'another program answers'],
    ['says nothing', '', 'does not answer'],
  ];
  test.each(answers)('%s: the session runs its servers itself', async (_, answer, reason) => {
    const { shared, log } = sharedWithLog();
    await listenAt(shared.socket, (socket) => void socket.write(answer));
    const session = await shared.start();
    expect(textOf(await call(session, 'echo', { text: 'here' }))).toContain('here');
    expect(session.stderr()).toMatch(new RegExp(`${ownServers}, it does not share them: .*${reason}`));
    expect(log.methods('tools/call')).toHaveLength(1);
    expect(shared.hosts()).toEqual([]);
  });

  test('closes at once: another one is tried, then the session runs its servers itself', async () => {
    const { shared } = sharedWithLog();
    await listenAt(shared.socket, (socket) => void socket.destroy());
    const session = await shared.start();
    expect(textOf(await call(session, 'echo', { text: 'here' }))).toContain('here');
    const why = `${ownServers}, it does not share them: the host closes the connection`;
    expect(session.stderr()).toContain(why);
    session.end();
    await session.exited;
    expect(readFileSync(join(shared.home, '.local/state/mcp-workbench/logs/workbench.log'), 'utf8')).toContain(why);
  });

  test('says after the hello what no host says: the call is answered, and the next one is served', async () => {
    const { shared } = sharedWithLog();
    await listenAt(shared.socket, (socket) => {
      socket.write('{"workbench":1,"hello":{"nonce":"abcdefgh"}}\n{"workbench":1,"attached":{"session":"x"}}\n');
      socket.on('data', (chunk) => void (chunk.includes('tools/call') && socket.write('{"result":nonsense\n')));
    });
    const session = await shared.start();
    expect(textOf(await call(session, 'echo', { text: 'here' }))).toContain('unknown whether');
    await call(session, 'echo');
    expect(textOf(await call(session, 'echo', { text: 'here' }))).toContain('here');
  });
});

test('a host that does not come up is waited for once, then the session runs its servers itself', async () => {
  const { shared } = sharedWithLog();
  const { main, host } = copyProgram(shared.dir);
  writeFileSync(host, 'setInterval(() => {}, 1_000);');
  const session = await shared.start({ program: main });
  expect(textOf(await call(session, 'echo', { text: 'here' }))).toContain('here');
  expect(session.stderr()).toContain('the host does not start within 10 s');
  expect(shared.hosts()).toHaveLength(1);
});

test('calls over a limit are answered once, take no place, and end nothing', async () => {
  const { shared } = sharedWithLog();
  const session = await shared.start();
  await call(session, 'echo');
  const deep = JSON.stringify(use('echo', { list: 0 })).replace(
    '"list":0',
    `"list":${'['.repeat(9_999)}${']'.repeat(9_999)}`,
  );
  // More than a host is sent at the same time.
  const ids = Array.from({ length: 300 }, (_, index) => `deep-${index}`);
  for (const id of ids) session.write(`{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":${deep}}\n`);
  expect(textOf(await call(session, 'echo', { text: 'here' }))).toContain('here');
  await until(() => ids.every((id) => answersTo(session, id).length > 0));
  process.kill(hostOf(shared).pid, 'SIGKILL');
  await until(() => session.stderr().includes('was lost'));
  expect(textOf(await call(session, 'echo', { text: 'again' }))).toContain('again');
  for (const id of ids)
    expect(answersTo(session, id)).toEqual([expect.stringContaining('nested deeper than the limit')]);
});

test('a handshake with capabilities that are nested too deeply is refused, and the session goes on', async () => {
  const { shared } = sharedWithLog();
  const session = await shared.start();
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const params = `{"protocolVersion":"2025-11-25","capabilities":{"x":${deep}},"clientInfo":{"name":"a","version":"1"}}`;
  session.write(`{"jsonrpc":"2.0","id":"again","method":"initialize","params":${params}}\n`);
  expect(JSON.stringify(await session.answerTo('again'))).toContain('nested deeper than the limit of 100 levels');
  expect(textOf(await call(session, 'echo', { text: 'here' }))).toContain('here');
  session.write(`{"jsonrpc":"2.0","id":"ping","method":"ping"}\n`);
  expect(await session.answerTo('ping')).toMatchObject({ result: {} });
});

test('an answer to a question that is nested too deeply fails, and the session goes on', async () => {
  const { shared } = sharedWithLog();
  const session = await shared.start({ capabilities: { elicitation: {} } });
  const id = await questionIn(session, 'asks');
  const deep = `${'['.repeat(9_999)}${']'.repeat(9_999)}`;
  session.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"action":"accept","content":${deep}}}\n`);
  expect(JSON.stringify(await session.answerTo('asks'))).toContain('The answer is nested deeper than the limit');
  expect(textOf(await call(session, 'echo', { text: 'here' }))).toContain('here');
  expect(session.stderr()).not.toContain('was lost');
});

test('a configuration that is too long for a host is served without one, and says so', async () => {
  const description = 'x'.repeat(5_000_000);
  const shared = shareSessions({ toolboxes: { dev: { description, mcpServers: { any: fixture() } } } });
  const session = await shared.start();
  expect(textOf(await call(session, 'echo', { text: 'here' }))).toContain('here');
  expect(session.stderr()).toContain(`${ownServers}, it does not share them: a host takes no configuration over 4 MiB`);
  expect(shared.hosts()).toEqual([]);
});

test('a call while the last host ends is served by the next one', async () => {
  const { shared } = sharedWithLog();
  const first = await shared.start();
  await call(first, 'echo');
  const old = hostOf(shared).pid;
  const second = await shared.start();
  process.kill(old, 'SIGTERM');
  expect(textOf(await call(second, 'echo', { text: 'next' }))).toContain('next');
  expect(second.stderr()).not.toContain(ownServers);
  await ending(shared, [first, second]);
});

/** A program at the socket of a host. */
async function listenAt(path: string, serve: (socket: Socket) => void): Promise<void> {
  const server = createServer((socket) => serve(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
}
