import { describe, expect, test } from 'vitest';
import { Cancellation } from '../../jsonrpc/cancellation.js';
import { createFairGate } from './fair-gate.js';

/** A gate that notes who was admitted, in order. */
function gateOf(maxRunning: number) {
  const gate = createFairGate(maxRunning);
  const admitted: string[] = [];
  const enter = (session: string, signal = new Cancellation()) => {
    const turn = gate.enter(session, signal);
    if (turn === undefined) admitted.push(session);
    else void turn.then(() => admitted.push(session)).catch(() => {});
    return turn;
  };
  const leave = async () => {
    gate.leave();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { gate, admitted, enter, leave };
}

describe('the gate of a connection', () => {
  test('admits one call of each session by turns, whichever has most', async () => {
    const { admitted, enter, leave } = gateOf(1);
    for (const session of ['a', 'a', 'a', 'a', 'b', 'c', 'b']) void enter(session);
    for (let left = 0; left < 6; left++) await leave();
    expect(admitted).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a']);
  });

  test('admits as many as it has room for when it is resized', async () => {
    const { gate, admitted, enter, leave } = gateOf(1);
    for (const session of ['a', 'a', 'b']) void enter(session);
    gate.resize(3);
    await new Promise((resolve) => setImmediate(resolve));
    expect(admitted).toEqual(['a', 'a', 'b']);
    gate.resize(1);
    expect(enter('c')).toBeDefined();
    await leave();
    await leave();
    expect(admitted).toHaveLength(3);
    await leave();
    expect(admitted).toEqual(['a', 'a', 'b', 'c']);
  });

  test('admits nothing of a session on hold, and no other session waits for it', async () => {
    const { gate, admitted, enter, leave } = gateOf(1);
    void enter('a');
    for (const session of ['a', 'b', 'b']) void enter(session);
    gate.hold('a', true);
    await leave();
    await leave();
    expect(admitted).toEqual(['a', 'b', 'b']);
    await leave();
    expect(enter('a')).toBeDefined();
    gate.hold('a', false);
    await new Promise((resolve) => setImmediate(resolve));
    expect(admitted).toEqual(['a', 'b', 'b', 'a']);
  });

  test('forgets a call that is cancelled while it waits', async () => {
    const { admitted, enter, leave } = gateOf(1);
    void enter('a');
    const signal = new Cancellation();
    const turn = enter('b', signal);
    void enter('c');
    signal.cancel();
    await expect(turn).rejects.toMatchObject({
      kind: 'cancelled',
      message: 'the call was cancelled while it was queued',
    });
    await leave();
    expect(admitted).toEqual(['a', 'c']);
  });
});
