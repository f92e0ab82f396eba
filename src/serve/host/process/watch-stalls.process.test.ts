import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../../../test/support/until.js';
import { readStall } from '../../../platform/sockets/stall-file.js';
import { watchStalls } from './watch-stalls.js';

const script = fileURLToPath(new URL('../../../../dist/stall-thread.js', import.meta.url));
const tickMs = 20;

/** Does not let the event loop turn until it holds. */
function blockUntil(holds: () => boolean): void {
  const limit = performance.now() + 20_000;
  while (!holds()) if (performance.now() > limit) throw new Error('it did not hold in time');
}

test('a thread says how long the event loop has not turned, again and again, and nothing while it turns', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'stalls-')), 'host.sock.busy');
  onTestFinished(watchStalls(file, { tickMs, script }));
  // The thread is started a second later: until then nothing is written, however often one looks.
  const seen: number[] = [];
  await until(() => {
    blockFor(5 * tickMs);
    return existsSync(file);
  });
  blockUntil(() => {
    const stalled = readStall(file);
    if (stalled !== undefined && stalled !== seen.at(-1)) seen.push(stalled);
    return seen.length === 5;
  });
  expect(seen).toEqual(seen.toSorted((one, other) => one - other));
  expect(seen.at(-1)).toBeGreaterThan(seen[0] ?? 0);
  await until(() => !existsSync(file), { what: 'the end of the stall' });
});

function blockFor(ms: number): void {
  const ends = performance.now() + ms;
  blockUntil(() => performance.now() >= ends);
}
