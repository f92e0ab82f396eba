import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/support/launch.js';
import { parseFile } from '../config/read/parse.js';
import type { ServerStatus } from '../observe/status/protocol.js';
import type { Computer } from '../platform/computer.js';
import { cacheDirectoryOf } from '../platform/directories.js';
import type { FoundProcess } from './list-sessions.js';
import { withoutLock } from './lock-changes.js';
import { serverStates } from './server-states.js';
import { writtenServers } from './written-servers.js';

const path = '/a/workbench-config.json';
const entry = { command: 'node' };
const text = JSON.stringify({
  toolboxes: {
    dev: { description: 'x', mcpServers: { fs: { ...entry, deny: ['drop'] }, off: { ...entry, disabled: true } } },
    prod: { description: 'x', mcpServers: { fs: entry } },
  },
});
const written = { path, file: parseFile(text, path).file };

function computerWith(files: Readonly<Record<string, object>> = {}): Computer {
  const home = temporaryDirectory();
  const computer = { env: { XDG_CACHE_HOME: join(home, 'cache') }, platform: 'linux', home, cwd: home } as Computer;
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(join(cacheDirectoryOf(computer), file, '..'), { recursive: true });
    writeFileSync(join(cacheDirectoryOf(computer), file), `${JSON.stringify(content)}\n`);
  }
  return computer;
}

const status = (state: ServerStatus['state'], since: number, more: Partial<ServerStatus> = {}): ServerStatus => ({
  ...{ toolbox: 'dev', server: 'fs', state, since, calls: 0, errors: 0 },
  ...more,
});
const serving = (...sessions: (readonly ServerStatus[])[]): FoundProcess => ({
  ...{ is: 'known', pid: 1, version: '1', cwd: '/' },
  sessions: sessions.map((servers, index) => ({
    ...{
      id: `${index}`,
      client: index === 0 ? null : { name: `c${index}`, version: '1' },
      config: path,
      since: 1,
      servers,
      calls: [],
    },
  })),
});
const silent: FoundProcess = { is: 'silent', pid: 7, socket: 'x' };
const failed = status('failed', 20, { kind: 'crashed', reason: 'it exited' });
const failure = { at: 20, kind: 'crashed', reason: 'it exited' };
const statesOf = (processes: readonly FoundProcess[], computer = computerWith()) =>
  serverStates(written, processes, computer, withoutLock);

test('the servers of a configuration are in its order; nothing is known of those that never ran', () => {
  expect(statesOf([])).toEqual([
    { toolbox: 'dev', server: 'fs', state: 'unknown', running: [], calls: [] },
    { toolbox: 'dev', server: 'off', state: 'disabled', running: [], calls: [] },
    { toolbox: 'prod', server: 'fs', state: 'unknown', running: [], calls: [] },
  ]);
});

test.each<[string, readonly FoundProcess[], object]>([
  [
    'awake in several sessions since the first of them, whatever others say',
    [silent, serving([status('awake', 30, { pid: 5 })], [status('awake', 10)], [failed], [status('starting', 1)])],
    { state: 'awake', since: 10, running: [{ client: '', pid: 5 }, { client: 'c1' }] },
  ],
  [
    'starting',
    [serving([failed], [status('starting', 30)])],
    { state: 'starting', since: 30, running: [{ client: 'c1' }] },
  ],
  ['failed', [silent, serving([failed])], { state: 'failed', since: 20, failure, running: [] }],
  ['failed before it slept', [serving([failed], [status('asleep', 21)])], { state: 'asleep', running: [] }],
  [
    'unauthorized',
    [serving([{ ...failed, kind: 'unauthorized' }])],
    { state: 'unauthorized', failure: { ...failure, kind: 'unauthorized' } },
  ],
  ['silent', [silent], { state: 'silent', silent: 7 }],
  ['asleep', [serving([status('asleep', 5)])], { state: 'asleep', running: [] }],
])('a server that is %s', (_, processes, expected) => {
  expect(statesOf(processes)[0]).toMatchObject(expected);
});

test('what a server failed with, and its tools as far as rules let them through, are read from files', () => {
  const [fs] = writtenServers(written, { toolbox: 'dev', server: 'fs' });
  const at = Date.now() - 1_000;
  const computer = computerWith({
    [`failures/${fs?.cacheKey}.json`]: { ...failure, at },
    [`tools/${fs?.cacheKey}.json`]: {
      at: 1,
      index: [
        ['echo', 7],
        ['drop', 9],
        ['echo', 7],
      ],
    },
  });
  expect(statesOf([], computer)[0]).toEqual({
    ...{
      toolbox: 'dev',
      server: 'fs',
      state: 'failed',
      since: at,
      running: [],
      calls: [],
      failure: { ...failure, at },
    },
    known: { at: 1, tokens: 7, tools: [{ name: 'echo', tokens: 7 }], asks: [], denied: ['drop'], changes: undefined },
  });
});
