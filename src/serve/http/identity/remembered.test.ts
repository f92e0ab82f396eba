import { expect, test } from 'vitest';
import { createClock } from '../../../../test/support/credentials.js';
import { createRemembered } from './remembered.js';

const someone = { principal: { key: 'someone' } };
const never = Number.POSITIVE_INFINITY;

test('ten thousand tokens are remembered, then the oldest is forgotten first', () => {
  const remembered = createRemembered(createClock().now);
  for (let at = 0; at <= 10_000; at += 1) remembered.add(String(at), someone, never);
  expect(remembered.size).toBe(10_000);
  expect([remembered.find('0'), remembered.find('1')]).toEqual([undefined, someone]);
});

test('tokens that are over make room for others', () => {
  const clock = createClock();
  const remembered = createRemembered(clock.now);
  for (let at = 0; at < 5_000; at += 1) remembered.add(String(at), someone, never);
  clock.forward(60_000);
  remembered.add('new', someone, never);
  expect(remembered.size).toBe(1);
});

test('a token is remembered for 60 s, or until its end if that is sooner', () => {
  const clock = createClock();
  const remembered = createRemembered(clock.now);
  remembered.add('long', someone, never);
  remembered.add('short', someone, clock.now() + 10_000);
  clock.forward(10_000);
  expect([remembered.find('long'), remembered.find('short')]).toEqual([someone, undefined]);
  clock.forward(50_000);
  expect(remembered.find('long')).toBeUndefined();
});

test('a token after its end is not remembered, although a while of tolerance is left', () => {
  const clock = createClock();
  const remembered = createRemembered(clock.now);
  remembered.add('over', someone, clock.now());
  expect(remembered.size).toBe(0);
});

test('a clock that was set back forgets tokens instead of keeping them for longer', () => {
  const clock = createClock();
  const remembered = createRemembered(clock.now);
  remembered.add('any', someone, never);
  clock.forward(-3_600_000);
  expect(remembered.find('any')).toBeUndefined();
});
