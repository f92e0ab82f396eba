import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { answerDeliveryMs, maxAnswersInFlight, maxAnswersWaiting } from '../../limits.js';
import { createAnswers } from './answers.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Sends as many answers, each of which is taken when the test says so. */
function sent(count: number) {
  const begun: (() => void)[] = [];
  let dropped = 0;
  const answers = createAnswers(() => void dropped++);
  for (let each = 0; each < count; each++) {
    let taken = () => {};
    const delivery = new Promise<void>((resolve) => {
      taken = resolve;
    });
    const deliver = () => {
      begun.push(taken);
      return delivery;
    };
    answers.send({ deliver, giveUp: taken });
  }
  return { begun, dropped: () => dropped };
}

test('answers are sent a few at a time, and the next when one is taken', async () => {
  const { begun } = sent(maxAnswersInFlight + 2);
  expect(begun).toHaveLength(maxAnswersInFlight);
  begun[3]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toHaveLength(maxAnswersInFlight + 1);
});

test('answers that are not taken are given up, so that others are sent', async () => {
  const { begun } = sent(maxAnswersInFlight * 2);
  await vi.advanceTimersByTimeAsync(answerDeliveryMs);
  expect(begun).toHaveLength(maxAnswersInFlight * 2);
});

test('answers that are too many to wait are dropped', () => {
  expect(sent(maxAnswersInFlight + maxAnswersWaiting).dropped()).toBe(0);
  expect(sent(maxAnswersInFlight + maxAnswersWaiting + 3).dropped()).toBe(3);
});
