import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serverConfig } from '../../../test/support/fake-port.js';
import { temporaryDirectory } from '../../../test/support/launch.js';
import { createFailureFiles, readLastFailure } from './failure-files.js';

const server = serverConfig();
const failed = { is: 'failed', server, at: Date.now(), kind: 'crashed', reason: 'it exited with code 1' } as const;
const text = (more: object) => JSON.stringify({ at: failed.at, kind: failed.kind, reason: failed.reason, ...more });

test('the last failure is kept until the server is ready again', async () => {
  const directory = temporaryDirectory();
  const files = createFailureFiles(directory);
  files.take(failed);
  files.take({ ...failed, is: 'ended', reason: 'it was killed' });
  await files.flush();
  expect(readLastFailure(directory, server.cacheKey)).toEqual({
    at: failed.at,
    kind: 'crashed',
    reason: 'it was killed',
  });
  files.take({ server, is: 'starting', at: 1 });
  await files.flush();
  expect(readLastFailure(directory, server.cacheKey)).toBeDefined();
  files.take({ ...failed, kind: 'cancelled' });
  const ready = { pid: undefined, revision: undefined, software: undefined, tools: 1, startMs: 1 };
  files.take({ server, is: 'ready', at: 2, ...ready });
  await files.flush();
  expect(readdirSync(join(directory, 'failures'))).toEqual([]);
  expect(readLastFailure(directory, server.cacheKey)).toBeUndefined();
});

test('a cancelled start, and an entry that cannot be used, are not failures of a server', async () => {
  const directory = temporaryDirectory();
  const files = createFailureFiles(directory);
  files.take({ ...failed, kind: 'cancelled' });
  files.take({ ...failed, server: serverConfig({ target: { kind: 'broken', reason: 'TOKEN is not set' } }) });
  await files.flush();
  expect(readdirSync(directory)).toEqual([]);
});

test.each([
  ['too old', text({ at: 1 })],
  ['of the future', text({ at: Date.now() + 60_000 })],
  ['damaged', '{'],
  ['of another shape', '[]'],
  ['without a reason', '{"at":1}'],
  ['too large', text({ reason: 'x'.repeat(20_000) })],
])('a file that is %s counts as missing', async (_, content) => {
  const directory = temporaryDirectory();
  const files = createFailureFiles(directory);
  files.take(failed);
  await files.flush();
  const [name = ''] = readdirSync(join(directory, 'failures'));
  writeFileSync(join(directory, 'failures', name), content);
  expect(readLastFailure(directory, server.cacheKey)).toBeUndefined();
});
