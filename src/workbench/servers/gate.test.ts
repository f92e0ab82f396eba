import { expect, test } from 'vitest';
import { Cancellation } from '../../jsonrpc/cancellation.js';
import { createGate } from './gate.js';

/** Enters, and records its name once admitted. */
function visitor(gate: ReturnType<typeof createGate>) {
  const admitted: string[] = [];
  const enter = async (name: string, signal?: Cancellation) => {
    await gate.enter(signal);
    admitted.push(name);
  };
  return { admitted, enter };
}

test('calls run in order of arrival, without the cancelled ones', async () => {
  const gate = createGate(1, 10);
  const { admitted, enter } = visitor(gate);
  const cancellation = new Cancellation();
  const calls = [enter('a'), enter('b'), enter('c', cancellation), enter('d')];
  const rejected = expect(calls[2]).rejects.toThrow('cancelled while it was queued');
  cancellation.cancel();
  for (const index of [0, 1, 3]) {
    await calls[index];
    gate.leave();
  }
  await rejected;
  expect(admitted).toEqual(['a', 'b', 'd']);
  expect(gate.running).toBe(0);
});

test('cancelling a call after its admission does not affect the others', async () => {
  const gate = createGate(1, 10);
  const { admitted, enter } = visitor(gate);
  const cancellation = new Cancellation();
  await enter('a');
  const next = enter('b', cancellation);
  gate.leave();
  await next;
  cancellation.cancel();
  expect(gate.running).toBe(1);
  expect(gate.tryEnter()).toBe(false);
  gate.leave();
  expect(admitted).toEqual(['a', 'b']);
  expect(gate.running).toBe(0);
});

test('a cancelled call frees its place in a full queue', async () => {
  const gate = createGate(1, 1);
  const { enter } = visitor(gate);
  await enter('a');
  for (let round = 0; round < 1_000; round++) {
    const cancellation = new Cancellation();
    const waiting = enter('b', cancellation);
    await expect(enter('c')).rejects.toThrow('it is busy (calls running: 1, waiting: 1)');
    cancellation.cancel();
    await expect(waiting).rejects.toThrow('cancelled');
  }
});

test('a call that is already cancelled does not enter', async () => {
  const gate = createGate(1, 1);
  const cancellation = new Cancellation();
  cancellation.cancel();
  await expect(gate.enter(cancellation)).rejects.toThrow();
  expect(gate.running).toBe(0);
});
