import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { canariesFor, createWatch } from '../support/canaries.js';
import { devToolbox } from '../support/configs.js';
import { areAllAlone, endHosts, runnerOf } from '../support/hosts.js';
import { temporaryDirectory } from '../support/launch.js';
import { liveConfig } from '../support/live-config.js';
import { posixOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { answerOf, beginSession, sessionsOf, socketsOf } from '../support/sessions.js';
import { until, untilHolds } from '../support/until.js';
import { initialize, startWorkbench } from '../support/workbench.js';

posixOnly('looks for sockets in a directory');

const config = devToolbox({ any: fixture('--name', 'any') });
const use = (name: string, server = 'any') => ({
  name: 'use_tool',
  arguments: { tool: { toolbox: 'dev', server, name }, arguments: { text: 'hello-argument' } },
});

test.each([
  ['that runs alone', true],
  ['with a host', areAllAlone],
])('a session %s is seen after its first call and never before; the socket ends with its process', async (_, alone) => {
  const workbench = startWorkbench({ config, alone });
  await initialize(workbench);
  await workbench.request('tools/list');
  expect(socketsOf(runnerOf(workbench))).toEqual([]);
  await beginSession(workbench, use('echo'));
  const runner = runnerOf(workbench);
  const seen = await answerOf(workbench);
  const server = { toolbox: 'dev', server: 'any', state: 'awake', calls: 1, errors: 0, revision: '2025-11-25' };
  expect(seen).toMatchObject({
    ...{ is: 'known', pid: runner },
    sessions: [
      {
        client: { name: 'raw', version: '1.0.0' },
        config: join(workbench.dir, 'workbench-config.json'),
        servers: [{ ...server, software: 'any 1.0.0', pid: expect.any(Number), tools: expect.any(Number) }],
      },
    ],
  });
  expect(JSON.stringify(seen)).not.toContain('hello-argument');
  workbench.end();
  await workbench.exited;
  await endHosts();
  expect(socketsOf(runner)).toEqual([]);
});

test('of two sessions that run alone, one that is killed is gone for whoever looks, and one that is stopped is shown as silent', async () => {
  const [killed, stopped] = [startWorkbench({ config, alone: true }), startWorkbench({ config, alone: true })];
  await Promise.all([beginSession(killed, use('echo')), beginSession(stopped, use('echo'))]);
  await answerOf(killed);
  killed.kill('SIGKILL');
  await killed.exited;
  // Its socket stays until a process looks: another test may have done that.
  expect(await sessionsOf(killed)).toBeUndefined();
  expect(socketsOf(killed.pid)).toEqual([]);

  stopped.kill('SIGSTOP');
  try {
    expect(await sessionsOf(stopped)).toMatchObject({ is: 'silent', pid: stopped.pid });
    expect(socketsOf(stopped.pid)).toHaveLength(1);
  } finally {
    stopped.kill('SIGCONT');
  }
  await until(async () => (await sessionsOf(stopped))?.is === 'known');
});

test('an edit of the configuration changes what the socket says: a changed entry has no past, and one that is gone is not named', async () => {
  const broken = { command: '/does/not/exist' };
  const workbench = startWorkbench({ config: devToolbox({ any: fixture(), broken, gone: fixture() }) });
  const live = liveConfig(workbench);
  await beginSession(workbench, use('echo'));
  for (const server of ['broken', 'gone']) await workbench.request('tools/call', use('echo', server));
  const states = async () => {
    const servers = (await answerOf(workbench)).sessions[0]?.servers ?? [];
    return servers.map(({ server, state }) => `${server} ${state}`).sort();
  };
  await until(async () => (await states()).length === 3);
  expect(await states()).toEqual(['any awake', 'broken failed', 'gone awake']);
  live.write(devToolbox({ any: fixture(), broken: fixture('--name', 'repaired'), added: fixture() }));
  await until(async () => (await states()).length === 1, { what: 'the edit' });
  expect(await states()).toEqual(['any awake']);
  for (const server of ['broken', 'added']) await workbench.request('tools/call', use('echo', server));
  await untilHolds(async () => expect(await states()).toEqual(['added awake', 'any awake', 'broken awake']));
});

test('what a server failed with is kept in the cache, without secrets, until it starts well', async () => {
  const canaries = canariesFor('failure');
  const env = Object.fromEntries(canaries.map(({ name, value }) => [name, value]));
  const references = Object.fromEntries(canaries.map(({ name }) => [name, `\${${name}}`]));
  const { command = '', args = [] } = fixture();
  const isWell = join(temporaryDirectory(), 'well');
  const script = `test -e ${isWell} && exec "$@"; env >&2; exit 3`;
  const broken = { command: 'sh', args: ['-c', script, 'sh', command, ...args], env: references };
  const workbench = startWorkbench({ config: devToolbox({ broken }), env });
  await beginSession(workbench, use('echo', 'broken'));
  const directory = join(workbench.dir, 'home', '.cache', 'mcp-workbench', 'failures');
  const files = () => (existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith('.json')) : []);
  await until(() => files().length === 1, { what: 'the failure' });
  const kept = readFileSync(join(directory, files()[0] ?? ''), 'utf8');
  expect(JSON.parse(kept)).toMatchObject({ kind: 'crashed', reason: expect.stringContaining('exited with code 3') });
  const seen = await answerOf(workbench);
  expect(seen).toMatchObject({ sessions: [{ servers: [{ server: 'broken', state: 'failed', kind: 'crashed' }] }] });
  expect(createWatch(canaries)(kept + JSON.stringify(seen))).toEqual([]);

  writeFileSync(isWell, '');
  await workbench.request('tools/call', use('echo', 'broken'));
  await until(() => files().length === 0, { what: 'the removal of the failure' });
});
