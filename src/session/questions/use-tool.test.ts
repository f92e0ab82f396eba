import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { configOf, connectTo, FakeServer, fakeAgent, pending, serverConfig } from '../../../test/support/fake-port.js';
import type { CallToolResult, UseToolInput } from '../../contract/types.js';
import { Cancellation } from '../../jsonrpc/cancellation.js';
import { silentLog } from '../../platform/log.js';
import type { Agent } from '../../workbench/ports/agent.js';
import type { CallOptions } from '../../workbench/ports/downstream.js';
import { createWorkbench } from '../../workbench/workbench.js';
import type { AgentRequest } from './agent-request.js';
import { createMetaCalls } from './meta-calls.js';

const tool = { toolbox: 'dev', server: 'fs', name: 'echo' };
const call = { tool, arguments: { path: 'a' } };
const form = { method: 'elicitation/create', params: { message: 'Name?' } };
const everything = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

function setUp() {
  const fake = new FakeServer();
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
  const workbench = createWorkbench(configOf([serverConfig({ roots: true })]), connectTo({ fs: fake }), silentLog);
  const { useTool: use } = createMetaCalls(workbench, new Cancellation(), log);
  const useTool = async (input: UseToolInput, from: AgentRequest): Promise<CallToolResult> =>
    (await use(input, from)).value();
  return { fake, warnings, useTool };
}

function request(
  more: Partial<AgentRequest> = {},
  ask: Agent['ask'] = async () => ({ action: 'accept' }),
): AgentRequest {
  return {
    agent: fakeAgent({ capabilities: everything, ask }),
    signal: new AbortController().signal,
    onProgress: () => {},
    meta: {},
    isModern: false,
    requestState: undefined,
    inputResponses: undefined,
    ...more,
  };
}

const inputRequired = (inputRequests?: object, requestState?: string): CallToolResult => ({
  resultType: 'input_required',
  ...(inputRequests && { inputRequests }),
  ...(requestState !== undefined && { requestState }),
});

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('for a legacy agent', () => {
  test("a call is sent again with the answers and the server's state until it has a result", async () => {
    const { fake, useTool } = setUp();
    const seen: (CallOptions['continuation'] | undefined)[] = [];
    fake.onCall = async (_, __, { continuation }) => {
      seen.push(continuation);
      return seen.length < 3 ? inputRequired({ q: form }, `state ${seen.length}`) : { content: [] };
    };
    const asked = vi.fn<Agent['ask']>(async () => ({ action: 'accept' }));
    expect(await useTool(call, request({}, asked))).toEqual({ content: [] });
    const inputResponses = { q: { action: 'accept' } };
    expect(seen).toEqual([
      undefined,
      { inputResponses, requestState: 'state 1' },
      { inputResponses, requestState: 'state 2' },
    ]);
    expect(asked).toHaveBeenCalledTimes(2);
  });

  test("questions are asked one after the other, in the server's order", async () => {
    const { fake, useTool } = setUp();
    fake.onCall = async (_, __, { continuation }) =>
      continuation === undefined ? inputRequired({ b: form, a: { method: 'roots/list' } }) : { continuation };
    const order: string[] = [];
    let open = 0;
    const ask: Agent['ask'] = async ({ method }) => {
      order.push(method);
      expect(++open).toBe(1);
      await Promise.resolve();
      open--;
      return { to: method };
    };
    expect(await useTool(call, request({}, ask))).toEqual({
      continuation: { inputResponses: { b: { to: form.method }, a: { to: 'roots/list' } } },
    });
    expect(order).toEqual([form.method, 'roots/list']);
  });

  test("an unanswered question fails the call with the client's error", async () => {
    const { fake, useTool } = setUp();
    fake.onCall = async () => inputRequired({ q: form });
    const refusing = request({}, () => Promise.reject(new Error('the user went away')));
    await expect(useTool(call, refusing)).rejects.toMatchObject({
      code: 'QUESTION_UNANSWERED',
      message:
        "Tool 'echo' of server 'fs' (toolbox 'dev') failed: the client did not answer elicitation/create: the user went away",
      place: { toolbox: 'dev', server: 'fs', tool: 'echo' },
    });
  });

  test('a server that sends only a state is called again after a delay, a limited number of times', async () => {
    const { fake, useTool } = setUp();
    let calls = 0;
    fake.onCall = async () => (++calls, inputRequired(undefined, 'busy'));
    const failed = expect(useTool(call, request())).rejects.toMatchObject({ code: 'CALL_FAILED' });
    await vi.advanceTimersByTimeAsync(0);
    expect(calls).toBeLessThan(3);
    await vi.advanceTimersByTimeAsync(20 * 250);
    await failed;
    expect(calls).toBe(20);
  });
});

describe('for a modern agent', () => {
  const coming = (more: Partial<AgentRequest> = {}) => request({ isModern: true, ...more });

  test("the server's questions are forwarded with a label, and its state signed", async () => {
    const { fake, useTool } = setUp();
    fake.onCall = async (_, __, { continuation }) =>
      continuation?.requestState === undefined ? { ...inputRequired({ q: form }, 'état'), extra: 1 } : { continuation };
    const first = await useTool(call, coming());
    expect(first).toMatchObject({ inputRequests: { q: { params: { message: '[dev/fs] Name?' } } }, extra: 1 });
    const requestState = String(first['requestState']);
    expect(requestState).not.toContain('état');
    const inputResponses = { q: { action: 'accept' } };
    expect(await useTool(call, coming({ requestState, inputResponses }))).toEqual({
      continuation: { inputResponses, requestState: 'état' },
    });
  });

  test('a state is refused for another tool, after it expires, and when it is forged', async () => {
    const { fake, useTool } = setUp();
    fake.tools = ['echo', 'other'];
    fake.onCall = async () => inputRequired({ q: form }, 'x');
    const requestState = String((await useTool(call, coming()))['requestState']);
    const refused = { name: 'RequestProblem', code: -32_602, message: 'Invalid or expired requestState' };
    const other = { ...call, tool: { ...tool, name: 'other' } };
    await expect(useTool(other, coming({ requestState }))).rejects.toMatchObject(refused);
    await expect(useTool(call, coming({ requestState: 'x' }))).rejects.toMatchObject(refused);
    expect(await useTool(call, coming({ requestState }))).toMatchObject({ resultType: 'input_required' });
    vi.advanceTimersByTime(10 * 60_000 + 1);
    await expect(useTool(call, coming({ requestState }))).rejects.toMatchObject(refused);
  });

  test('a call whose questions stay unanswered is cancelled at the server after ten minutes, and logged', async () => {
    const { fake, useTool, warnings } = setUp();
    const cancelled = pending<unknown>();
    fake.onCall = async (_, __, { agent, signal }) => {
      signal?.addEventListener('abort', () => cancelled.resolve(signal.reason));
      return { answer: await agent?.ask(form, new AbortController().signal) };
    };
    const first = await useTool(call, coming());
    expect(first).toMatchObject({ resultType: 'input_required', inputRequests: { 'question-1': form } });
    vi.advanceTimersByTime(10 * 60_000);
    expect(await cancelled.promise).toMatchObject({ kind: 'timeout' });
    expect(warnings).toEqual(['agent: cancelled a call: its questions were not answered in time']);
    const requestState = String(first['requestState']);
    await expect(useTool(call, coming({ requestState }))).rejects.toMatchObject({ name: 'RequestProblem' });
  });
});

describe.each([false, true])('in both eras (modern: %s)', (isModern) => {
  test.each([
    ['elicitation/create', form, { elicitation: { url: {} } }],
    ['elicitation/create (mode url)', { ...form, params: { mode: 'url' } }, { elicitation: {} }],
    ['sampling/createMessage', { method: 'sampling/createMessage', params: {} }, { elicitation: {}, roots: {} }],
    ['roots/list', { method: 'roots/list' }, { sampling: {} }],
    ['from/the-future', { method: 'from/the-future' }, everything],
    ['an unknown method', { method: 'the token is s3cret' }, everything],
  ])('%s fails at once when the agent does not support it', async (what, question, capabilities) => {
    const { fake, useTool } = setUp();
    fake.onCall = async () => inputRequired({ q: question });
    const ask = vi.fn<Agent['ask']>();
    await expect(useTool(call, request({ isModern, agent: fakeAgent({ capabilities, ask }) }))).rejects.toMatchObject({
      code: 'QUESTION_UNSUPPORTED',
      message: `Tool 'echo' of server 'fs' (toolbox 'dev') failed: it requires ${what}, which this client does not support`,
    });
    expect(ask).not.toHaveBeenCalled();
  });

  test.each([inputRequired(), inputRequired({}), inputRequired({ q: null, r: 7, s: {} })])(
    'a result without a valid question (%j) fails the call',
    async (result) => {
      const { fake, useTool } = setUp();
      fake.onCall = async () => result;
      await expect(useTool(call, request({ isModern }))).rejects.toMatchObject({
        code: 'CALL_FAILED',
        message: expect.stringContaining('it requires input but sent no question'),
      });
    },
  );

  test("the agent's _meta is sent with the call", async () => {
    const { fake, useTool } = setUp();
    fake.onCall = async (name, args, { meta }) => ({ seen: { name, args, meta } });
    const meta = { traceparent: '00-1-1-01' };
    expect(await useTool(call, request({ isModern, meta }))).toEqual({
      seen: { name: 'echo', args: { path: 'a' }, meta },
    });
  });
});
