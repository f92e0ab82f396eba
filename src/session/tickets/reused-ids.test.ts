import { beforeEach, expect, test, vi } from 'vitest';
import { textResult, ticketSession, turns } from '../../../test/support/ticket-session.js';

beforeEach(({ onTestFinished }) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
});

async function pass(seconds: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(seconds * 1_000);
  await turns();
}

test('progress of a call that goes on is not taken for that of another with the same token', async () => {
  const session = await ticketSession();
  const { use, served, received, textOf } = session;
  const token = { _meta: { progressToken: 7 } };
  use(1, {}, token);
  await turns();
  await pass(50);
  use(2, {}, token);
  await turns();
  received.length = 0;
  served[0]?.options.onProgress?.({ progress: 5, message: 'first' });
  served[1]?.options.onProgress?.({ progress: 1, message: 'second' });
  expect(received).toMatchObject([{ params: { progress: 1, message: 'second', progressToken: 7 } }]);
  served[0]?.resolve(textResult('done'));
  await turns();
  served[1]?.options.onProgress?.({ progress: 2, message: 'second again' });
  await pass(50);
  expect(textOf(2)).toMatch(/^Still running after 50 s \("second again"\)/);
  await session.leave();
});

test.each(['@cline/core', 'anything'])(
  'requests of %s under ids that calls have on their way get their own answers',
  async (client) => {
    const session = await ticketSession({ client });
    const { use, say, served, answersTo, textOf, cancel } = session;
    const ids = [2_013_265_921, 2_013_265_922, 2_013_265_923];
    use(1);
    await turns();
    for (const id of ids) say({ id, method: 'resources/read', params: { uri: `none:${id}` } });
    await turns();
    for (const id of ids) expect(answersTo(id)).toMatchObject([{ error: { data: { uri: `none:${id}` } } }]);
    expect(answersTo(1)).toEqual([]);
    use(2_013_265_921);
    await turns();
    cancel(2_013_265_921);
    await turns();
    expect(served.map((call) => call.isCancelled())).toEqual([false, true]);
    served[0]?.resolve(textResult('done'));
    await turns();
    expect(textOf(1)).toBe('done');
    await session.leave();
  },
);
