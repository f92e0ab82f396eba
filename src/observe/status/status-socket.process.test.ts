import { once } from 'node:events';
import { lstatSync, readdirSync, writeFileSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { serverConfig } from '../../../test/support/fake-port.js';
import { temporaryDirectory } from '../../../test/support/launch.js';
import { posixOnly } from '../../../test/support/platform.js';
import { until } from '../../../test/support/until.js';
import { listSessions } from '../../inspect/list-sessions.js';
import { watchSessions } from '../../inspect/watch-sessions.js';
import { silentLog } from '../../platform/log.js';
import { newName, parseName } from '../../platform/sockets/socket-names.js';
import type { CallInFlight } from '../../workbench/ports/running-calls.js';
import type { SessionEvent } from '../events.js';
import type { StatusEvent } from './protocol.js';
import { serveStatus } from './serve-status.js';

posixOnly('named pipes have no directory of their own');

let directory: string;
let warnings: string[];
beforeEach(() => {
  directory = join(temporaryDirectory(), 'run');
  warnings = [];
});

const log = { ...silentLog, warn: (text: string) => void warnings.push(text) };
const session = { id: 'session-1', principal: 'local', config: '/a/workbench-config.json', since: 1_000 };

function serve() {
  const status = serveStatus({ cwd: '/a', directory }, log);
  onTestFinished(() => status.close());
  const report = (event: SessionEvent) => void status.take(session, event);
  report({ is: 'began', at: 1_000 });
  return { status, report };
}

/** The only socket in the directory. */
const socketFile = () => join(directory, readdirSync(directory)[0] ?? '');

/** A client that sends bytes and collects what it gets. */
function connect(bytes: string | Buffer = ''): {
  readonly socket: Socket;
  text(): string;
  readonly closed: Promise<unknown>;
} {
  const socket = createConnection(socketFile());
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  if (bytes.length > 0) socket.write(bytes);
  onTestFinished(() => void socket.destroy());
  return { socket, text: () => text, closed };
}

const ask = (what: string, workbench: unknown = 1) => `${JSON.stringify({ workbench, ask: what })}\n`;
const messagesIn = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

describe('the socket of a process', () => {
  test('is open to the user alone, and is gone when the process ends', () => {
    const { status } = serve();
    expect(lstatSync(directory).mode & 0o777).toBe(0o700);
    expect(lstatSync(socketFile()).mode & 0o777).toBe(0o600);
    expect(parseName(readdirSync(directory)[0] ?? '')).toMatchObject({ pid: process.pid, isHere: true, wire: 1 });
    status.close();
    expect(readdirSync(directory)).toEqual([]);
  });

  test('answers who is served and how the servers stand', async () => {
    const { report } = serve();
    report({ is: 'opened', at: 1_500, toolbox: 'dev', ms: 3, client: { name: 'raw', version: '1' } });
    report({ server: serverConfig({ name: '__proto__' }), is: 'starting', at: 2_000 });
    report({
      server: serverConfig(),
      ...{ is: 'ready', at: 2_000, startMs: 12, pid: 5, revision: '2025-11-25', software: 'x 1', tools: 4 },
    });
    const call = {
      is: 'called',
      call: 1,
      trace: undefined,
      at: 3_000,
      client: undefined,
      toolbox: 'dev',
      server: 'fs',
      tool: 'echo',
      ms: 5,
    } as const;
    report({ ...call, outcome: 'ok' });
    report({ ...call, outcome: 'error' });
    report({ ...call, outcome: 'failed', code: 'CALL_TIMEOUT' });
    expect(await listSessions({ directory })).toEqual([
      {
        ...{ is: 'known', pid: process.pid, version: expect.any(String), cwd: '/a' },
        sessions: [
          {
            ...{ id: 'session-1', client: { name: 'raw', version: '1' }, config: session.config, since: 1_000 },
            servers: [
              { toolbox: 'dev', server: '__proto__', state: 'starting', since: 2_000, calls: 0, errors: 0 },
              {
                ...{ toolbox: 'dev', server: 'fs', state: 'awake', since: 2_000, calls: 3, errors: 2 },
                ...{ startMs: 12, pid: 5, revision: '2025-11-25', software: 'x 1', tools: 4 },
              },
            ],
            calls: [],
          },
        ],
      },
    ]);
  });

  test('is asked only by those who want to know about its configuration', async () => {
    const { status } = serve();
    void status.take(
      { id: 'session-2', principal: 'local', config: undefined, since: 2_000 },
      { is: 'began', at: 2_000 },
    );
    const seen = async (config: string | null) =>
      (await listSessions({ directory, config })).flatMap((found) => (found.is === 'known' ? found.sessions : []));
    expect((await seen(session.config)).map(({ id }) => id)).toEqual(['session-1']);
    expect(await seen('/b/workbench-config.json')).toEqual([]);
  });

  test('answers which calls run, cancels one, and tells those who watch of calls that have run for a second', async () => {
    const tool = { toolbox: 'dev', server: 'fs', name: 'echo' };
    let running: CallInFlight[] = [{ number: 7, tool, client: { name: 'raw', version: '1' }, since: Date.now() }];
    const cancelled: number[] = [];
    const calls = () => ({
      list: () => running,
      cancel: (number: number) => running.some((one) => one.number === number) && cancelled.push(number) > 0,
    });
    const status = serveStatus({ cwd: '/a', directory }, log);
    onTestFinished(() => status.close());
    void status.take({ ...session, calls }, { is: 'began', at: 1_000 });
    const id = `${process.pid}-7`;
    const shown = { id, toolbox: 'dev', server: 'fs', tool: 'echo', client: 'raw', since: running[0]?.since };
    const [found] = await listSessions({ directory });
    expect(found).toMatchObject({ sessions: [{ client: { name: 'raw' }, calls: [shown] }] });

    const watcher = connect(ask('watch'));
    const told = () =>
      messagesIn(watcher.text()).flatMap(({ event }) => (event?.is === 'running' ? [event.calls] : []));
    await until(() => told().some((one) => one.length === 1));
    expect(told().at(-1)).toEqual([shown]);
    running = running.map((one) => ({ ...one, progress: 'half' }));
    await until(() => told().at(-1)?.[0]?.progress === 'half');
    const cancel = async (call: unknown) => {
      const client = connect(`${JSON.stringify({ workbench: 1, ask: 'cancel', call })}\n`);
      await client.closed;
      return messagesIn(client.text())[0];
    };
    expect(await cancel(7)).toEqual({ workbench: 1, cancelled: true });
    for (const other of [8, -1, 'x', null, {}, '__proto__'])
      expect(await cancel(other)).toEqual({ workbench: 1, cancelled: false });
    expect(cancelled).toEqual([7]);
    running = [];
    await until(() => told().at(-1)?.length === 0);
  });

  test('sends events to those who watch, and closes with the process', async () => {
    const { report, status } = serve();
    const watcher = connect(ask('watch'));
    await until(() => watcher.text().includes('\n'));
    report({ server: serverConfig(), is: 'failed', at: 4_000, kind: 'crashed', reason: 'it exited' });
    report({ is: 'refused', at: 5_000, client: undefined, toolbox: 'dev', code: 'TOOLBOX_NOT_FOUND' });
    report({ is: 'closed', at: 6_000 });
    await until(() => watcher.text().includes('closed'));
    status.close();
    await watcher.closed;
    const [first, ...events] = messagesIn(watcher.text());
    expect(first).toMatchObject({ workbench: 1, status: { pid: process.pid } });
    const failed = { state: 'failed', since: 4_000, calls: 0, errors: 0, kind: 'crashed', reason: 'it exited' };
    expect(events).toEqual([
      {
        workbench: 1,
        event: { is: 'server', session: 'session-1', server: { toolbox: 'dev', server: 'fs', ...failed } },
      },
      {
        workbench: 1,
        event: { is: 'refused', session: 'session-1', at: 5_000, toolbox: 'dev', code: 'TOOLBOX_NOT_FOUND' },
      },
      { workbench: 1, event: { is: 'closed', session: 'session-1', config: session.config } },
    ]);
  });

  test.each([
    ['not JSON', 'hello\n', 'INVALID'],
    ['no object', '[]\n', 'INVALID'],
    ['no line end within the limit', 'x'.repeat(5_000), 'INVALID'],
    ['a line over the limit', `${' '.repeat(2_000)}{}\n`, 'INVALID'],
    ['bytes that are no text', Buffer.from([0, 255, 254, 10]), 'INVALID'],
    ['another version', ask('status', 2), 'VERSION'],
    ['an unknown question', ask('__proto__'), 'UNKNOWN'],
  ])('refuses %s, and serves the next client', async (_, bytes, code) => {
    serve();
    const client = connect(bytes);
    await client.closed;
    expect(messagesIn(client.text())).toEqual([{ workbench: 1, error: { code, message: expect.any(String) } }]);
    expect(await listSessions({ directory })).toHaveLength(1);
  });

  test('drops clients that ask nothing, that are too many, and that do not read', async () => {
    const { report } = serve();
    const idle = Array.from({ length: 32 }, () => connect());
    await Promise.all(idle.map(({ socket }) => once(socket, 'connect')));
    const oneMore = connect(ask('status'));
    await oneMore.closed;
    expect(oneMore.text()).toBe('');
    await Promise.all(idle.map(({ closed }) => closed));
    // These have been answered, and hold their connections open.
    const staying = Array.from({ length: 32 }, () => createConnection({ path: socketFile(), allowHalfOpen: true }));
    await Promise.all(
      staying.map((socket) =>
        once(
          socket.on('error', () => {}),
          'connect',
        ),
      ),
    );
    for (const socket of staying) socket.resume().write(ask('status'));
    await until(async () => (await listSessions({ directory }))[0]?.is === 'known');
    for (const socket of staying) socket.destroy();
    // As long as the others count, it is one too many.
    const deaf = await until(async () => {
      const one = connect(ask('watch'));
      await Promise.race([one.closed, until(() => one.text().includes('\n'))]);
      return one.text().includes('\n') && one;
    });
    deaf.socket.pause();
    const reason = 'x'.repeat(10_000);
    for (let event = 0; event < 1_000; event++)
      report({ server: serverConfig(), is: 'failed', at: event, kind: 'crashed', reason });
    deaf.socket.resume();
    await deaf.closed;
    expect(deaf.text().length).toBeLessThan(5_000_000);
    expect(await listSessions({ directory })).toHaveLength(1);
  });
});

describe('a client that begins to watch later', () => {
  test('gets what happened before, the last 2,000 calls, then events as they come', async () => {
    const { report } = serve();
    report({ server: serverConfig(), is: 'starting', at: 2_000 });
    const call = {
      is: 'called',
      call: 1,
      trace: undefined,
      client: { name: 'raw', version: '1' },
      toolbox: 'dev',
      server: 'fs',
      tool: 'echo',
    } as const;
    for (let at = 0; at < 2_500; at++)
      report({ ...call, call: at, at, ms: 0.123456, outcome: 'ok', sent: 10, received: 20 });
    for (const number of [7, 502, 502, 2_499]) report({ is: 'shown', at: 2_500, call: number, chars: number });
    const heard: StatusEvent[] = [];
    const seen: unknown[] = [];
    onTestFinished(
      watchSessions(
        {
          status: (_, { sessions }) => void seen.push(sessions.length),
          past: (_, events) => void heard.push(...events),
          event: (_, event) => void heard.push(event),
          unclear: (_, __, why) => void seen.push(why),
          gone: () => void seen.push('gone'),
        },
        directory,
      ),
    );
    await until(() => heard.length > 2_000);
    report({ is: 'shown', at: 9_998, call: 2_498, chars: 17 });
    report({ ...call, at: 9_999, ms: 1, outcome: 'failed', code: 'CALL_TIMEOUT' });
    await until(() => heard.some((event) => event.is === 'called' && event.at === 9_999));
    const calls = heard.flatMap((event) => (event.is === 'called' ? [event.at] : []));
    expect(calls).toEqual([...Array.from({ length: 2_000 }, (_, at) => at + 500), 9_999]);
    const shown = heard.flatMap((event) => (event.is === 'called' && event.shown !== undefined ? [event.shown] : []));
    expect(shown).toEqual([502, 2_499]);
    expect(heard.filter(({ is }) => is === 'shown')).toEqual([
      { is: 'shown', session: 'session-1', call: 2_498, chars: 17 },
    ]);
    expect(heard.slice(0, 3)).toMatchObject([
      { is: 'session', session: { id: 'session-1' } },
      { is: 'server', session: 'session-1', server: { state: 'starting' } },
      { is: 'called', ms: 0.12, client: 'raw', sent: 10, received: 20 },
    ]);
    expect(seen).toEqual([1]);
  });

  test('hears of processes that begin, end, come back, are stopped or speak another version', async () => {
    const heard: string[] = [];
    onTestFinished(
      watchSessions(
        {
          status: (key) => void heard.push(`status ${key}`),
          past() {},
          event() {},
          unclear: (_, { pid }, why) => void heard.push(`${why} ${pid}`),
          gone: (key) => void heard.push(`gone ${key}`),
        },
        directory,
      ),
    );
    const { status } = serve();
    const [first = ''] = readdirSync(directory);
    await until(() => heard.includes(`status ${first}`));
    status.close();
    await until(() => heard.includes(`gone ${first}`));
    serve();
    const [second = ''] = readdirSync(directory);
    expect(second).not.toBe(first);
    await until(() => heard.includes(`status ${second}`));
    writeFileSync(join(directory, newName('/b').replace(/^1-/, '2-')), '');
    await until(() => heard.includes(`foreign ${process.pid}`));
    const mute = createServer((socket) => void socket.on('error', () => {}));
    mute.listen(join(directory, newName('/c').replace(/-\d+-([\da-f]+)\.sock$/, '-77-$1.sock')));
    onTestFinished(() => void mute.close());
    await until(() => heard.includes('silent 77'));
  });
});
