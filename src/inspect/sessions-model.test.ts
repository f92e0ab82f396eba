import { expect, test } from 'vitest';
import type { ProcessStatus, ServerStatus, StatusEvent } from '../observe/status/protocol.js';
import { configKey, hostName, sharedNameOf } from '../platform/sockets/socket-names.js';
import { createSessionsModel } from './sessions-model.js';

const config = '/a/workbench-config.json';
const begun = Date.now() - 60_000;
const server = (state: ServerStatus['state'], since: number, more: Partial<ServerStatus> = {}): ServerStatus => ({
  ...{ toolbox: 'dev', server: 'fs', state, since, calls: 0, errors: 0 },
  ...more,
});
const session = (id: string, servers: readonly ServerStatus[] = [], of: string | null = config) => ({
  ...{ id, client: { name: 'raw', version: '1' }, config: of, since: begun, servers, calls: [] },
});
const status = (pid: number, ...sessions: ProcessStatus['sessions']): ProcessStatus => ({
  ...{ pid, version: '1', cwd: '/', sessions },
});
const called = (of: string, at: number): StatusEvent => ({
  ...{ is: 'called', session: of, at, toolbox: 'dev', server: 'fs', tool: 'echo', ms: 1, outcome: 'ok', client: 'raw' },
});
const changed = (of: string, state: ServerStatus): StatusEvent => ({ is: 'server', session: of, server: state });
const create = () =>
  createSessionsModel(
    () => config,
    () => {},
    sharedNameOf(host('tests').name) ?? '',
  );
const livesIn = (model: ReturnType<typeof create>) => model.livesOf({ toolbox: 'dev', server: 'fs' }, Date.now());

test('one process may hold many sessions: only those of the configuration count, those that are over as well', () => {
  const model = create();
  const { listener } = model;
  listener.status(
    'host',
    status(1, session('a', [server('awake', begun + 2_000, { startMs: 500, pid: 9 })]), session('x', [], '/b')),
  );
  listener.past('host', [
    { is: 'session', session: session('gone') },
    { is: 'session', session: session('x', [], '/b') },
    changed('gone', server('starting', begun)),
    changed('gone', server('awake', begun + 100)),
    { is: 'closed', session: 'gone', config },
    changed('gone', server('stopped', begun + 900)),
    changed('a', server('starting', begun + 1_500)),
    changed('a', server('awake', begun + 2_000, { startMs: 500 })),
    called('gone', begun + 300),
    called('x', begun + 400),
  ]);
  listener.event('host', called('a', begun + 5_000));
  expect(model.calls.all().map(({ at }) => at - begun)).toEqual([300, 5_000]);
  expect(livesIn(model)).toEqual([
    { from: begun, ready: begun + 100, to: begun + 900 },
    { from: begun + 1_500, ready: begun + 2_000, to: undefined },
  ]);
  expect(model.processes()).toMatchObject([{ is: 'known', sessions: [{ id: 'a' }] }]);
});

test('a process of a version that remembers nothing is shown as it stands', () => {
  const model = create();
  const now = status(1, session('a', [server('awake', begun, { startMs: 100 })]));
  model.listener.status('old', now);
  expect(livesIn(model)).toEqual([]);
  model.listener.status('old', now);
  expect(livesIn(model)).toEqual([{ from: begun - 100, ready: begun, to: undefined }]);
});

test('a process that is connected to again is not counted twice', () => {
  const model = create();
  for (const key of ['first', 'second']) {
    model.listener.status(key, status(1, session('a', [server('awake', begun)])));
    model.listener.past(key, [
      changed('a', server('starting', begun)),
      changed('a', server('awake', begun)),
      called('a', begun),
    ]);
  }
  model.listener.gone('first');
  expect(model.calls.news()).toMatchObject({ isAll: true, calls: [{ at: begun }] });
  expect(model.calls.news()).toBeUndefined();
  expect(livesIn(model)).toEqual([{ from: begun, ready: begun, to: undefined }]);
});

test('events change how a process stands, until it is gone', () => {
  const model = create();
  const { listener } = model;
  listener.status('one', status(1));
  listener.past('one', []);
  expect(model.processes()).toEqual([]);
  listener.event('one', { is: 'session', session: session('a') });
  listener.event('one', changed('a', server('starting', begun)));
  listener.event('one', changed('a', server('awake', begun + 50, { pid: 9 })));
  expect(model.processes()).toMatchObject([{ sessions: [{ id: 'a', servers: [{ state: 'awake', pid: 9 }] }] }]);
  listener.event('one', changed('a', server('stopped', begun + 80)));
  expect(model.processes()).toMatchObject([{ sessions: [{ id: 'a', servers: [] }] }]);
  listener.event('one', { is: 'closed', session: 'a', config });
  expect(model.processes()).toEqual([]);
  expect(livesIn(model)).toEqual([{ from: begun, ready: begun + 50, to: begun + 80 }]);
  listener.gone('one');
  expect(model.processes()).toEqual([]);
});

const host = (ofBuild: string) => ({
  ...{ name: hostName('0'.repeat(8), ofBuild, 'f'.repeat(12), 8), wire: 1, isHere: true, config: undefined, pid: 8 },
});

test('a process that does not answer is shown if it may serve the configuration', () => {
  const model = create();
  const name = (path: string) => ({ name: 'x', wire: 1, isHere: true, config: configKey(path), pid: 7 });
  model.listener.unclear('other', name('/b'), 'silent');
  expect(model.processes()).toEqual([]);
  model.listener.unclear('own', name(config), 'silent');
  expect(model.processes()).toEqual([{ is: 'silent', pid: 7, socket: 'own' }]);
  model.listener.unclear('host', host('tests'), 'silent');
  expect(model.processes()).toHaveLength(2);
  model.listener.gone('host');
  model.listener.unclear('host', host('other'), 'silent');
  expect(model.processes()).toHaveLength(1);
  // One of another version has to be ended by the user.
  model.listener.unclear('host', host('other'), 'foreign');
  expect(model.processes()).toHaveLength(2);
  model.listener.gone('host');
  model.listener.status('own', status(7, session('a')));
  expect(model.processes()).toMatchObject([{ is: 'known', pid: 7 }]);
});

test('a host that no longer answers is shown if it has served the configuration, of whichever build', () => {
  const model = create();
  model.listener.status('host', status(8, session('x', [], '/b')));
  model.listener.unclear('host', host('tests'), 'silent');
  expect(model.processes()).toEqual([]);
  model.listener.status('host', status(8, session('x', [], '/b'), session('a')));
  model.listener.unclear('host', host('other'), 'silent');
  expect(model.processes()).toEqual([{ is: 'silent', pid: 8, socket: 'host' }]);
});

test('only the last calls are kept', () => {
  const model = create();
  model.listener.status('one', status(1, session('a')));
  for (let at = 0; at < 12_000; at++) model.listener.event('one', called('a', at));
  expect(model.calls.all().map(({ at }) => at)).toEqual(Array.from({ length: 5_000 }, (_, index) => 7_000 + index));
});
