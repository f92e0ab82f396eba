import { expect, test } from 'vitest';
import { pending } from '../../../test/support/fake-port.js';
import { createProcessTable } from './process-table.js';
import type { Walk } from './process-walk.js';

const found = (more: Partial<Walk> = {}): Walk => ({ groups: new Set(), marked: new Map(), isComplete: true, ...more });

/** A table over walks whose ends the test decides. */
function tableOfWalks() {
  const walks: { wantsMarks: boolean; end: (walk: Walk) => void }[] = [];
  const table = createProcessTable((wantsMarks) => {
    const walk = pending<Walk>();
    walks.push({ wantsMarks, end: walk.resolve });
    return walk.promise;
  });
  const begun = async (count: number) => {
    while (walks.length < count) await new Promise((resolve) => setTimeout(resolve, 1));
    return walks[count - 1];
  };
  return { table, walks, begun };
}

test('concurrent callers share one walk', async () => {
  const { table, walks, begun } = tableOfWalks();
  const answers = Array.from({ length: 100 }, (_, group) => table.hasMember(group));
  (await begun(1))?.end(found({ groups: new Set([7]) }));
  expect((await Promise.all(answers)).flatMap((isAlive, group) => (isAlive ? [group] : []))).toEqual([7]);
  expect(walks).toHaveLength(1);
});

test('a walk that began before a call is not used for it', async () => {
  const { table, begun } = tableOfWalks();
  const early = table.hasMember(1);
  const first = await begun(1);
  const late = [table.hasMember(1), table.hasMember(2)];
  first?.end(found({ groups: new Set([1]) }));
  expect(await early).toBe(true);
  (await begun(2))?.end(found());
  expect(await Promise.all(late)).toEqual([false, false]);
});

test('a group that an incomplete walk has not found is unknown, not gone', async () => {
  const { table, begun } = tableOfWalks();
  const answers = [table.hasMember(1), table.hasMember(2)];
  (await begun(1))?.end(found({ groups: new Set([1]), isComplete: false }));
  expect(await Promise.all(answers)).toEqual([true, undefined]);
});

test('marks are looked for until a complete walk has found none, and only as long as they are wanted', async () => {
  const { table, walks, begun } = tableOfWalks();
  let isOver = false;
  const ended = table.endMarked('a').then(() => {
    isOver = true;
  });
  (await begun(1))?.end(found({ isComplete: false }));
  // Of no real process: what is found is killed.
  (await begun(2))?.end(found({ marked: new Map([['a', [2 ** 30]]]) }));
  const last = await begun(3);
  expect(isOver).toBe(false);
  last?.end(found({ marked: new Map([['b', [process.pid]]]) }));
  await ended;
  const asked = table.hasMember(1);
  (await begun(4))?.end(found());
  await asked;
  expect(walks.map(({ wantsMarks }) => wantsMarks)).toEqual([true, true, true, false]);
});
