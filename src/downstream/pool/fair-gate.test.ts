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
  const leave = async (session: string) => {
    gate.leave(session);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { gate, admitted, enter, leave };
}

describe('the gate of a connection', () => {
  test('admits one call of each session by turns, whichever has most', async () => {
    const { admitted, enter, leave } = gateOf(1);
    for (const session of ['a', 'a', 'a', 'a', 'b', 'c', 'b']) void enter(session);
    for (const session of ['a', 'a', 'b', 'c', 'a', 'b']) await leave(session);
    expect(admitted).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a']);
  });

  test('admits as many as it has room for when it is resized', async () => {
    const { gate, admitted, enter, leave } = gateOf(1);
    for (const session of ['a', 'a', 'b']) void enter(session);
    gate.resize(3, 2);
    await new Promise((resolve) => setImmediate(resolve));
    expect(admitted).toEqual(['a', 'a', 'b']);
    gate.resize(1, 3);
    expect(enter('c')).toBeDefined();
    await leave('a');
    await leave('a');
    expect(admitted).toHaveLength(3);
    await leave('b');
    expect(admitted).toEqual(['a', 'a', 'b', 'c']);
  });

  test('admits nothing of a session on hold, and no other session waits for it', async () => {
    const { gate, admitted, enter, leave } = gateOf(1);
    void enter('a');
    for (const session of ['a', 'b', 'b']) void enter(session);
    gate.hold('a', true);
    await leave('a');
    await leave('b');
    expect(admitted).toEqual(['a', 'b', 'b']);
    await leave('b');
    expect(enter('a')).toBeDefined();
    gate.hold('a', false);
    await new Promise((resolve) => setImmediate(resolve));
    expect(admitted).toEqual(['a', 'b', 'b', 'a']);
  });

  test('gives each session an equal share, so that many calls of one keep no other out', async () => {
    const { gate, admitted, enter } = gateOf(32);
    gate.resize(32, 3);
    for (let call = 0; call < 32; call++) void enter('a');
    expect(admitted).toHaveLength(11);
    expect([enter('b'), enter('c')]).toEqual([undefined, undefined]);
    expect(enter('a')).toBeDefined();
  });

  test('admits a session that comes while another has all of it before further calls of that one', async () => {
    const { gate, admitted, enter, leave } = gateOf(4);
    gate.resize(4, 1);
    for (let call = 0; call < 6; call++) void enter('a');
    gate.resize(4, 2);
    for (let call = 0; call < 2; call++) void enter('b');
    for (let call = 0; call < 2; call++) await leave('a');
    expect(admitted).toEqual(['a', 'a', 'a', 'a', 'b', 'b']);
  });

  test('gives a session that is left alone all of it', async () => {
    const { gate, admitted, enter, leave } = gateOf(4);
    gate.resize(4, 2);
    for (const session of ['a', 'a', 'a', 'a', 'a', 'b']) void enter(session);
    expect(admitted).toEqual(['a', 'a', 'b']);
    await leave('b');
    expect(admitted).toHaveLength(3);
    gate.resize(4, 1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(admitted).toEqual(['a', 'a', 'b', 'a', 'a']);
  });

  test('runs one call of each of more sessions than it has room for, strictly by turns', async () => {
    const { gate, admitted, enter, leave } = gateOf(1);
    gate.resize(1, 3);
    for (const session of ['a', 'b', 'c', 'a', 'b', 'a']) void enter(session);
    // Each that has had its turn has another call at once.
    for (const session of ['a', 'b', 'c', 'a', 'b']) {
      void enter(session);
      await leave(session);
    }
    expect(admitted).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
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
    await leave('a');
    expect(admitted).toEqual(['a', 'c']);
  });
});
