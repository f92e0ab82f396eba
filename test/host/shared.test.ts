import { readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { callLog } from '../support/call-log.js';
import { devToolbox, withMarker, writeConfig } from '../support/configs.js';
import { linuxOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { call, hostOf, shareSessions, textOf, use } from '../support/shared.js';
import { until } from '../support/until.js';
import { modern } from '../support/workbench.js';

linuxOnly('counts processes in /proc');

const config = devToolbox({ any: fixture() });

test('sessions share one host, which is twice removed from them and ends after the last one', async () => {
  const shared = shareSessions(config);
  const [one, other] = [await shared.start(), await shared.start()];
  expect(shared.hosts()).toEqual([]);
  expect(textOf(await call(one, 'echo', { text: 'one' }))).toContain('one');
  expect(textOf(await call(other, 'echo', { text: 'other' }))).toContain('other');
  const [host, ...more] = shared.hosts();
  if (host === undefined) throw new Error('no host');
  expect(more).toEqual([]);
  expect(readlinkSync(`/proc/${host.pid}/cwd`)).toBe('/');
  // Parent, process group and session of its own.
  const [, parent, group, session] = statOf(host.pid);
  const [, , ownGroup, ownSession] = statOf(one.pid);
  expect(parent).not.toBe(one.pid);
  expect([group, session]).not.toEqual(expect.arrayContaining([ownGroup]));
  expect(session).not.toBe(ownSession);
  one.end();
  await one.exited;
  expect(textOf(await call(other, 'echo', { text: 'still' }))).toContain('still');
  other.end();
  await other.exited;
  await until(() => shared.hosts().length === 0, { withinMs: 30_000, what: 'the end of the host' });
  expect(shared.servers()).toEqual([]);
  expect(shared.sockets()).toEqual([]);
});

test('a call that comes while the host lingers uses it', async () => {
  const shared = shareSessions(config);
  const first = await shared.start();
  await call(first, 'echo');
  const { pid } = hostOf(shared);
  first.end();
  await first.exited;
  const second = await shared.start();
  await call(second, 'echo');
  expect(hostOf(shared).pid).toBe(pid);
});

describe('no host is started', () => {
  test.each([
    ['by the opening of a session', {}, false, config],
    ['where CI is set', { CI: 'true' }, true, config],
    ['with WORKBENCH_SHARED=0', { WORKBENCH_SHARED: '0' }, true, config],
    ['if the configuration says so', {}, true, { ...config, shared: false }],
  ])('%s', async (_, env, calls, its) => {
    const shared = shareSessions(its);
    const session = await shared.start({ env });
    await session.request('tools/list');
    if (calls) expect(textOf(await call(session, 'echo', { text: 'here' }))).toContain('here');
    expect(shared.hosts()).toEqual([]);
    expect(session.stderr()).not.toContain('warning');
  });
});

test('WORKBENCH_SHARED=1 counts for more than CI and the configuration', async () => {
  const shared = shareSessions({ ...config, shared: false });
  const session = await shared.start({ env: { CI: '1', WORKBENCH_SHARED: '1' } });
  await call(session, 'echo');
  expect(shared.hosts()).toHaveLength(1);
});

test('the embedded configuration is served by the host as well', async () => {
  const shared = shareSessions(config);
  const session = await shared.start({ args: [] });
  const open = { name: 'open_toolbox', arguments: { toolbox: 'getting-started' } };
  expect(textOf(await session.request('tools/call', open))).toContain('"servers_connected":1');
  expect(shared.hosts()).toHaveLength(1);
});

test('a server has the directory, the environment and the variables of its session', async () => {
  const shared = shareSessions(
    devToolbox({ any: { ...fixture(), env: { TOKEN: '${MY_TOKEN}' } }, broken: { command: '${NOT_SET}' } }),
  );
  for (const [name, token] of [
    ['a', 'one'],
    ['b', 'two'],
  ] as const) {
    const session = await shared.start({ env: { MY_TOKEN: token, UNNAMED: 'x', LANG: `${name}.UTF-8` } });
    await call(session, 'echo');
    const server = await until(() => shared.servers().find(({ pid }) => environmentOf(pid)['TOKEN'] === token));
    expect(environmentOf(server.pid)).toMatchObject({ LANG: `${name}.UTF-8`, TOKEN: token });
    expect(environmentOf(server.pid)).not.toHaveProperty('UNNAMED');
    expect(readlinkSync(`/proc/${server.pid}/cwd`)).toBe(join(shared.dir, 'work'));
    expect(textOf(await call(session, 'echo', {}, 'broken'))).toContain('NOT_SET');
  }
  // What belongs to sessions is not in the host.
  for (const { pid } of shared.hosts()) expect(JSON.stringify(environmentOf(pid))).not.toMatch(/MY_TOKEN|UNNAMED/);
});

test('results, progress, errors and cancellation pass through in both eras', async () => {
  const log = callLog();
  const shared = shareSessions(devToolbox({ any: fixture('--log', log.path) }));
  const session = await shared.start();
  const large = await call(session, 'blob', { bytes: 3_000_000 });
  expect(JSON.stringify(large).length).toBeGreaterThan(3_000_000);
  const unknown = await session.request('tools/call', { name: 'nothing' });
  expect(unknown.error).toMatchObject({ code: -32_602 });
  const result = await session.request(
    'tools/call',
    modern({ name: 'use_tool', arguments: { tool: { toolbox: 'dev', server: 'any', name: 'echo' } } }),
  );
  expect(result.result).toMatchObject({ resultType: 'complete' });
  session.send({ id: 'slow', method: 'tools/call', params: use('sleep', { ms: 60_000 }) });
  await until(() => log.methods('tools/call').some(({ name }) => name === 'sleep'));
  session.notify('notifications/cancelled', { requestId: 'slow' });
  await until(() => log.methods('notifications/cancelled').length === 1);
  // The same id again, at once.
  session.send({ id: 'slow', method: 'tools/call', params: use('echo', { text: 'again' }) });
  expect(textOf(await session.answerTo('slow'))).toContain('again');
});

test('an edit of the configuration reaches the host, with the variables that it names', async () => {
  const shared = shareSessions(config);
  const session = await shared.start({ env: { LATER: 'value-of-later' } });
  await call(session, 'echo');
  const text = readFileSync(shared.file, 'utf8');
  const added = JSON.stringify({ ...fixture(), env: { GIVEN: '${LATER}', WORKBENCH_TEST_MARKER: shared.marker } });
  writeFileSync(shared.file, text.replace('"any":', `"more":${added},"any":`));
  const more = await until(async () => {
    const answer = await call(session, 'echo', { text: 'x' }, 'more');
    return answer.result?.['isError'] === true ? undefined : answer;
  });
  expect(textOf(more)).toContain('x');
  expect(shared.servers().map(({ pid }) => environmentOf(pid)['GIVEN'])).toContain('value-of-later');
});

test('an edit of an env file that an edit before the first call has named reaches the host', async () => {
  const shared = shareSessions(config);
  const session = await shared.start();
  const envFile = join(shared.dir, 'some.env');
  const read = (times: number) => session.stderr().split('read again').length > times;
  writeConfig(shared.dir, withMarker(devToolbox({ any: { ...fixture(), envFile } }), shared.marker));
  await until(() => read(1));
  expect(textOf(await call(session, 'echo'))).toContain('it does not exist');
  writeFileSync(envFile, 'VALUE=one\n');
  await until(async () => textOf(await call(session, 'env')).includes('"VALUE":"one"'));
  expect(shared.hosts()).toHaveLength(1);
});

test('lines about a session go to the stderr of its own process', async () => {
  const shared = shareSessions(config);
  const [one, other] = [await shared.start(), await shared.start()];
  await call(one, 'echo', {}, 'any');
  await call(other, 'echo', {}, 'nowhere');
  await until(() => one.stderr().includes('dev/any: ready'));
  expect(other.stderr()).not.toContain('ready');
});

/** State, parent, process group and session. */
function statOf(pid: number): (string | number)[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(0, 4)
    .map((field, index) => (index === 0 ? field : Number(field)));
}

function environmentOf(pid: number): Record<string, string> {
  const entries = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  return Object.fromEntries(
    entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  );
}

test('--frozen blocks what is not in the lock for its own session only', async () => {
  const shared = shareSessions(devToolbox({ any: fixture() }));
  const frozen = await shared.start({ args: ['--frozen', '--config', shared.file] });
  const free = await shared.start();
  expect(textOf(await call(frozen, 'echo', { text: 'here' }))).toContain('--frozen starts nothing else');
  expect(textOf(await call(free, 'echo', { text: 'here' }))).toContain('here');
  expect(textOf(await call(frozen, 'echo', { text: 'here' }))).toContain('--frozen starts nothing else');
  expect(hostOf(shared)).toBeDefined();
  expect(shared.servers()).toHaveLength(1);
});

test('an edit to "shared": false counts from the next host on, not in the middle of a session with one', async () => {
  const shared = shareSessions(config);
  const session = await shared.start();
  await call(session, 'echo');
  writeConfig(shared.dir, withMarker({ ...config, shared: false }, shared.marker));
  await until(() => session.stderr().includes('read again'));
  expect(textOf(await call(session, 'echo', { text: 'here' }))).toContain('here');
  process.kill(hostOf(shared).pid, 'SIGKILL');
  await until(() => session.stderr().includes('was lost'));
  expect(textOf(await call(session, 'echo', { text: 'again' }))).toContain('again');
  expect(shared.hosts()).toEqual([]);
});
