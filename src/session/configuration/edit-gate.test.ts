import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import type { RpcMessage, RpcRequest } from '../../jsonrpc/messages.js';
import { type AskedEdit, createEditGate } from './edit-gate.js';
import type { AskedCaller } from './live-configuration.js';

const form = { elicitation: {} };
const legacy: AskedCaller = { revision: '2025-11-25', capabilities: form };
const modern = { revision: '2026-07-28', capabilities: form };
const saying = (answer: string) => ({ action: 'accept', content: { answer } });
const call = (id: number, params: JsonObject = {}): RpcRequest => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params,
});

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A gate with an edit that waits until it is decided on. */
function setUp() {
  const sent: RpcMessage[] = [];
  const decided: boolean[] = [];
  const passed: RpcRequest[] = [];
  let edit: AskedEdit | undefined = {
    message: 'Apply it?',
    async decide(isYes) {
      decided.push(isYes);
      edit = undefined;
    },
  };
  const gate = createEditGate({ caller: () => legacy, send: (message) => void sent.push(message) }, () => edit);
  const takes = (request: RpcRequest, caller = legacy) =>
    gate.takes(request, caller, (changed = request) => void passed.push(changed));
  const settled = () => vi.advanceTimersByTimeAsync(0);
  return { gate, takes, sent, decided, passed, settled };
}

test('calls wait for one question of a legacy client, and go on in their order', async () => {
  const { gate, takes, sent, decided, passed, settled } = setUp();
  expect([takes(call(1)), takes(call(2))]).toEqual([true, true]);
  expect(sent).toEqual([expect.objectContaining({ id: 900_001, method: 'elicitation/create' })]);
  expect(gate.answered({ jsonrpc: '2.0', id: 1, result: saying('yes') })).toBe(false);
  expect(passed).toEqual([]);
  expect(gate.answered({ jsonrpc: '2.0', id: 900_001, result: saying('yes') })).toBe(true);
  await settled();
  expect(decided).toEqual([true]);
  expect(passed.map(({ id }) => id)).toEqual([1, 2]);
  expect(takes(call(3))).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});

test.each([
  ['a no', saying('no')],
  ['an empty yes', { action: 'accept', content: {} }],
  ['a closed dialog', { action: 'cancel' }],
])('%s is a no', async (_, result) => {
  const { gate, takes, decided, passed, settled } = setUp();
  takes(call(1));
  gate.answered({ jsonrpc: '2.0', id: 900_001, result });
  await settled();
  expect(decided).toEqual([false]);
  expect(passed).toHaveLength(1);
});

test('no answer within ten minutes is a no', async () => {
  const { takes, sent, decided, passed } = setUp();
  takes(call(1));
  await vi.advanceTimersByTimeAsync(600_000);
  expect(decided).toEqual([false]);
  expect(passed).toHaveLength(1);
  expect(sent.at(-1)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 900_001 } });
});

test('a cancelled call takes its question back, and the next call asks again', async () => {
  const { gate, takes, sent, decided, passed, settled } = setUp();
  takes(call(1));
  gate.cancel(1);
  await settled();
  expect(sent.at(-1)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 900_001 } });
  expect({ decided, passed }).toEqual({ decided: [], passed: [] });
  expect(takes(call(2))).toBe(true);
  expect(sent.at(-1)).toMatchObject({ id: 900_002, method: 'elicitation/create' });
});

test('a modern client answers with the same request, once; a state that was guessed decides nothing', async () => {
  const { takes, sent, decided, passed, settled } = setUp();
  const inputResponses = { edit: saying('yes') };
  takes(call(1, { requestState: 'mcp-workbench/edit guessed', inputResponses, name: 'use_tool' }), modern);
  await settled();
  expect({ decided, passed }).toEqual({ decided: [], passed: [call(1, { name: 'use_tool' })] });
  takes(call(2, { name: 'use_tool' }), modern);
  const [asked] = sent;
  const result = asked !== undefined && 'result' in asked && isRecord(asked.result) ? asked.result : {};
  expect(result).toMatchObject({
    resultType: 'input_required',
    inputRequests: { edit: { method: 'elicitation/create' } },
  });
  const again = { requestState: result['requestState'], inputResponses, name: 'use_tool' };
  for (const id of [3, 4]) {
    takes(call(id, again), modern);
    await settled();
  }
  expect(decided).toEqual([true]);
  expect(passed.slice(1)).toEqual([call(3, { name: 'use_tool' }), call(4, { name: 'use_tool' })]);
});

test('no question is asked where the client cannot ask, nor in the middle of a call', () => {
  const { takes, sent } = setUp();
  expect(takes(call(1), { ...legacy, capabilities: {} })).toBe(false);
  expect(takes(call(2, { requestState: 'signed' }), modern)).toBe(false);
  expect(takes({ ...call(3), method: 'resources/read' })).toBe(false);
  expect(sent).toEqual([]);
});
