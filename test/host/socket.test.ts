// @module-tag hostile
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { frameKinds } from '../../src/serve/host/frames.js';
import { methods } from '../../src/serve/host/protocol.js';
import { devToolbox } from '../support/configs.js';
import { connectTo, type HostClient, helloOf } from '../support/host-client.js';
import { linuxOnly } from '../support/platform.js';
import { copyProgram } from '../support/program-copy.js';
import { fixture } from '../support/servers.js';
import { call, hostOf, type SharedSessions, shareSessions, textOf, use } from '../support/shared.js';
import { until } from '../support/until.js';

linuxOnly('counts processes in /proc');

/** A session that has attached, and its host. */
async function running(): Promise<{ shared: SharedSessions; works: () => Promise<void> }> {
  const shared = shareSessions(devToolbox({ any: fixture() }));
  const session = await shared.start();
  await call(session, 'echo');
  const { pid } = hostOf(shared);
  const works = async () => {
    expect(textOf(await call(session, 'echo', { text: 'well' }))).toContain('well');
    const next = await shared.start();
    expect(textOf(await call(next, 'echo', { text: 'next' }))).toContain('next');
    expect(hostOf(shared).pid).toBe(pid);
    expect(session.stderr() + next.stderr()).not.toContain('warning');
  };
  return { shared, works };
}

const config = (text: string) => ({ config: { path: '/etc/workbench-config.json', text } });

const faultyHellos: readonly (readonly [string, string, string | Buffer])[] = [
  ['no line end within a second', 'INVALID', '{"workbench":1,'],
  ['no line end within 4 MiB', 'INVALID', 'x'.repeat(4_194_400)],
  ['a line over 4 MiB', 'INVALID', helloOf(config('x'.repeat(4_194_304)))],
  ['what is not JSON', 'INVALID', 'hello\n'],
  ['bytes that are no text', 'INVALID', Buffer.from([0, 255, 254, 10])],
  ['another wire number', 'VERSION', helloOf({ workbench: 2 })],
  ['an unknown question', 'UNKNOWN', helloOf({ ask: '__proto__' })],
  ['another version', 'FAILED', helloOf({ version: '0.0.1' })],
  ['another build', 'FAILED', helloOf({ build: '00000000' })],
  ['a hello without anything', 'FAILED', '{"workbench":1,"ask":"attach"}\n'],
  ['a relative directory', 'FAILED', helloOf({ cwd: 'here' })],
  ['no home', 'FAILED', helloOf({ home: undefined })],
  ['an environment of numbers', 'FAILED', helloOf({ env: { A: 1 } })],
  ['a configuration without a text', 'FAILED', helloOf({ config: { path: '/a' } })],
  ['a relative path of a configuration', 'FAILED', helloOf({ config: { path: 'a', text: '{}' } })],
  ['a configuration that is not JSON', 'FAILED', helloOf(config('{'))],
  ['an invalid configuration', 'FAILED', helloOf(config('{"toolboxes":{"a":{}}}'))],
];

test('every faulty hello is refused with its code, and the sessions of the host go on', async () => {
  const { shared, works } = await running();
  const refusals = await Promise.all(
    faultyHellos.map(async ([name, , bytes]) => {
      const client = connectTo(shared, bytes);
      await client.closed;
      return [name, JSON.parse(client.text().trim().split('\n').at(-1) ?? '')];
    }),
  );
  const error = (code: string) => ({ code, message: expect.stringMatching(/./) });
  expect(refusals).toEqual(faultyHellos.map(([name, code]) => [name, { workbench: 1, error: error(code) }]));
  await works();
});

test('many who connect and say nothing keep nobody out', async () => {
  const { shared, works } = await running();
  const idle = Array.from({ length: 200 }, () => connectTo(shared, ''));
  await works();
  await Promise.all(idle.map(({ closed }) => closed));
});

const controls = [...Object.values(methods), '__proto__', 'no such'].flatMap((method) => [
  JSON.stringify({ method }),
  JSON.stringify({ method, params: { revision: 1, env: [], config: 7, note: {}, session: {} } }),
  `{"method":${JSON.stringify(method)},"params":{"__proto__":null}}`,
]);

test('controls that no session sends change nothing, and the next request is answered', async () => {
  const { shared, works } = await running();
  const client = connectTo(shared, helloOf());
  await until(() => client.text().includes('"attached"'));
  for (const [index, control] of controls.entries()) client.send(frameKinds.control, index, control);
  client.send(frameKinds.answer, 7, '{"jsonrpc":"2.0","result":{}}');
  client.send(
    frameKinds.request,
    99,
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: use('echo') }),
  );
  await until(() => client.frames().some(({ kind, number }) => kind === frameKinds.result && number === 99));
  await works();
});

const junk: readonly [string, (client: HostClient) => void][] = [
  ['a request that is not JSON', (client) => client.send(frameKinds.request, 1, '{')],
  ['a request without a method', (client) => client.send(frameKinds.request, 1, '{"jsonrpc":"2.0","id":1}')],
  ['a control that is not JSON', (client) => client.send(frameKinds.control, 1, '\u0000')],
  ['an answer that is not JSON', (client) => client.send(frameKinds.answer, 1, '')],
  ['a frame that is too long', (client) => client.socket.write(Buffer.alloc(9, 0xff))],
];

test('what no session sends ends the session that sends it, and no other', async () => {
  const { shared, works } = await running();
  for (const [name, send] of junk) {
    const client = connectTo(shared, helloOf());
    await until(() => client.text().includes('"attached"'));
    send(client);
    await until(() => client.socket.destroyed, { what: `the end of the session with ${name}` });
  }
  await works();
});

test('a promise that fails unexpectedly ends no session, and the log of the host says which', async () => {
  const shared = shareSessions(devToolbox({ any: fixture() }));
  const fault = "process.on('SIGUSR2', () => void Promise.reject(new Error('a stray fault')));";
  const { main, host } = copyProgram(shared.dir);
  appendFileSync(host, fault);
  const session = await shared.start({ program: main });
  await call(session, 'echo');
  const { pid } = hostOf(shared);
  process.kill(pid, 'SIGUSR2');
  const log = await until(() => {
    const file = readdirSync(shared.home, { recursive: true, encoding: 'utf8' }).find((name) =>
      name.endsWith('workbench.log'),
    );
    const text = file === undefined ? '' : readFileSync(join(shared.home, file), 'utf8');
    return text.includes('stray') && text;
  });
  expect(log).toContain(`[${pid}] mcp-workbench error: unexpected: Error: a stray fault`);
  expect(textOf(await call(session, 'echo', { text: 'well' }))).toContain('well');
  expect(hostOf(shared).pid).toBe(pid);
});
