import { expect, test } from 'vitest';
import type { StatusEvent } from '../observe/status/protocol.js';
import { type CallRow, createCallLog, withNews } from './call-log.js';

const called = (call: number, at = call): StatusEvent => ({
  ...{ is: 'called', session: 'a', at, toolbox: 'dev', server: 'fs', tool: 'echo', ms: 1, outcome: 'ok' },
  ...{ received: 200_000, call },
});
const shown = (call: number, chars: number): StatusEvent => ({ is: 'shown', session: 'a', call, chars });
const seen = (rows: readonly CallRow[] = []) => rows.map(({ at, shown: chars }) => [at, chars]);

test('how much the client got of a result is told with its call, or as a change of it', () => {
  const log = createCallLog();
  log.add(1, called(1));
  log.add(1, called(2));
  log.add(1, shown(2, 90));
  expect(seen(log.news()?.calls)).toEqual([
    [1, undefined],
    [2, 90],
  ]);
  log.add(1, called(3));
  log.add(1, shown(1, 0));
  const news = log.news();
  expect(news?.isAll).toBe(false);
  expect(seen(news?.calls)).toEqual([
    [3, undefined],
    [1, 0],
  ]);
  expect(seen(log.all())).toEqual([
    [1, 0],
    [2, 90],
    [3, undefined],
  ]);
  expect(log.news()).toBeUndefined();
});

test('numbers of calls are those of their process', () => {
  const log = createCallLog();
  log.add(1, called(7, 10));
  log.add(2, called(7, 20));
  log.add(1, shown(7, 5));
  log.add(1, shown(8, 6));
  log.add(3, shown(7, 6));
  expect(seen(log.all())).toEqual([
    [10, 5],
    [20, undefined],
  ]);
});

test('news replaces the rows that have changed, and keeps the order of time', () => {
  const log = createCallLog();
  for (const call of [1, 2, 5]) log.add(1, called(call));
  let rows = withNews([], log.news()?.calls ?? []);
  log.add(1, shown(2, 9));
  rows = withNews(rows, log.news()?.calls ?? []);
  log.add(2, called(3));
  rows = withNews(rows, log.news()?.calls ?? []);
  expect(seen(rows)).toEqual([
    [1, undefined],
    [2, 9],
    [3, undefined],
    [5, undefined],
  ]);
});
