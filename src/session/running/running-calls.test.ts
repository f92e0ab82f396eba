import { describe, expect, test } from 'vitest';
import { configOf, connectTo, FakeServer, outputTo, serverConfig } from '../../../test/support/fake-port.js';
import { until } from '../../../test/support/until.js';
import { failureOf } from '../../contract/downstream-failure.js';
import type { CallToolResult } from '../../contract/types.js';
import type { JsonObject } from '../../jsonrpc/json.js';
import type { RpcMessage } from '../../jsonrpc/messages.js';
import { modernRevision } from '../../jsonrpc/revisions.js';
import { silentLog } from '../../platform/log.js';
import { createReplaceAny } from '../../text/replace-any.js';
import type { CallOptions } from '../../workbench/ports/downstream.js';
import type { WorkbenchEvent } from '../../workbench/ports/observer.js';
import { createWorkbench } from '../../workbench/workbench.js';
import type { Caller } from '../caller.js';
import { createCalls } from '../calls.js';
import { codeIn } from '../meta-tools/answers.js';

const tool = { toolbox: 'dev', server: 'fs', name: 'echo' };
const form = { method: 'elicitation/create', params: { message: 'Name?', requestedSchema: { type: 'object' } } };
const client = { name: 'raw', version: '1' };
const callers: Readonly<Record<'legacy' | 'modern', Caller>> = {
  legacy: { revision: '2025-06-18', client, capabilities: { elicitation: {} } },
  modern: { revision: modernRevision, client, capabilities: { elicitation: { form: {} } } },
};
const unknownOutcome = 'Cancelled by the user. It is unknown whether the tool took effect.';
const notCalled = 'Cancelled by the user. The tool was not called.';

/** A tool that ends only when it is cancelled. */
function untilCancelled({ signal }: CallOptions): Promise<CallToolResult> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(failureOf(signal)), { once: true });
  });
}

function begin(settings: Parameters<typeof serverConfig>[0] = {}) {
  const fake = new FakeServer();
  const sent: RpcMessage[] = [];
  const reported: WorkbenchEvent[] = [];
  const workbench = createWorkbench(configOf([serverConfig(settings)]), connectTo({ fs: fake }), silentLog, {
    maskFor: () => createReplaceAny(['token-1234'], '***'),
    observer: { report: (event) => void reported.push(event) },
  });
  const output = outputTo((message) => void sent.push(message));
  const calls = createCalls('session-1', workbench, output, silentLog);
  const start = (id: number, caller: Caller, params: JsonObject = {}) => {
    const input = { name: 'use_tool', arguments: { tool, arguments: {} } };
    calls.start({ jsonrpc: '2.0', id, method: 'tools/call', params: { ...input, ...params } }, caller);
  };
  const answer = (id: number) =>
    until(() => sent.find((message) => 'id' in message && message.id === id && !('method' in message)));
  const textOf = async (id: number) => {
    const message = await answer(id);
    const result = 'result' in message ? JSON.parse(JSON.stringify(message.result)) : undefined;
    return [result?.content?.[0]?.text, codeIn(result)];
  };
  const only = async () => {
    await until(() => calls.inFlight.list().length === 1);
    return calls.inFlight.list()[0] ?? { number: 0, tool: undefined };
  };
  return { fake, calls, sent, reported, start, answer, textOf, only };
}

test('the name of a tool that is still being looked for is listed with its beginning', async () => {
  const { fake, calls, start, only } = begin();
  fake.onStart = () => new Promise(() => {});
  const named = { name: 'use_tool', arguments: { tool: { ...tool, name: 'x'.repeat(1_000_000) } } };
  start(1, callers.legacy, named);
  expect((await only()).tool?.name).toMatch(/^x{127}…$/);
  calls.cancel(1);
});

describe.each(['legacy', 'modern'] as const)('a call of a %s agent', (era) => {
  const caller = callers[era];

  test('is listed while it runs, with its last progress and without secrets; when it has ended no more', async () => {
    const { fake, calls, start, only, answer } = begin();
    let end = () => {};
    let report: CallOptions['onProgress'];
    fake.onCall = (_, __, { onProgress }) => {
      report = onProgress;
      return new Promise((resolve) => {
        end = () => resolve({ content: [] });
      });
    };
    start(1, caller);
    expect(await only()).toEqual({
      number: expect.any(Number),
      tool,
      client: caller.client,
      since: expect.any(Number),
    });
    await until(() => report !== undefined);
    report?.({ progress: 3, total: 10 });
    expect(await only()).toMatchObject({ progress: '3 of 10' });
    report?.({ progress: 4, message: `with token-1234\u202E\n${'x'.repeat(300)}` });
    const { progress } = calls.inFlight.list()[0] ?? {};
    expect(progress).toMatch(/^with \*\*\* \| x+…$/);
    expect(progress).toHaveLength(200);
    end();
    await answer(1);
    expect(calls.inFlight.list()).toEqual([]);
  });

  test('that the user cancels is cancelled at the server, and the agent reads who did it', async () => {
    const { fake, calls, start, only, textOf } = begin();
    let isCalled = false;
    fake.onCall = (_, __, options) => {
      isCalled = true;
      return untilCancelled(options);
    };
    start(1, caller);
    const { number } = await only();
    await until(() => isCalled);
    expect(calls.inFlight.cancel(number)).toBe(true);
    expect(await textOf(1)).toEqual([unknownOutcome, 'CALL_CANCELLED']);
    expect(calls.inFlight.cancel(number)).toBe(false);
    expect(calls.inFlight.list()).toEqual([]);
  });

  test('that the user cancels while its server starts, or while it is queued, is said not to have been made', async () => {
    const { fake, calls, start, only, textOf } = begin({ limits: { maxConcurrentCalls: 1 } });
    fake.onStart = () => new Promise(() => {});
    start(1, caller);
    calls.inFlight.cancel((await only()).number);
    expect(await textOf(1)).toEqual([notCalled, 'CALL_CANCELLED']);

    const busy = begin({ limits: { maxConcurrentCalls: 1 } });
    let made = 0;
    busy.fake.onCall = (_, __, options) => {
      made++;
      return untilCancelled(options);
    };
    busy.start(1, caller);
    await until(() => made === 1);
    busy.start(2, caller);
    await until(() => busy.calls.inFlight.list().length === 2);
    busy.calls.inFlight.cancel(busy.calls.inFlight.list()[1]?.number ?? 0);
    expect(await busy.textOf(2)).toEqual([notCalled, 'CALL_CANCELLED']);
    expect(made).toBe(1);
  });

  test('that waits for an answer of the agent is listed, and ends with the same text when the user cancels it', async () => {
    const { fake, calls, start, sent, only, answer, textOf } = begin();
    // A server of the other era asks between the rounds of a call.
    fake.onCall = async (_, __, options) => {
      if (era === 'legacy') return { content: [], resultType: 'input_required', inputRequests: { name: form } };
      options.agent?.ask(form, new AbortController().signal).catch(() => {});
      return untilCancelled(options);
    };
    start(1, caller);
    if (era === 'legacy')
      await until(() => sent.find((message) => 'method' in message && message.method === form.method));
    const asked = era === 'legacy' ? undefined : await answer(1);
    const { number } = await only();
    expect(calls.inFlight.cancel(number)).toBe(true);
    if (asked !== undefined) {
      const { requestState } = 'result' in asked ? JSON.parse(JSON.stringify(asked.result)) : {};
      start(2, caller, { requestState, inputResponses: { 'question-1': { action: 'decline' } } });
    }
    expect(await textOf(asked === undefined ? 1 : 2)).toEqual([unknownOutcome, 'CALL_CANCELLED']);
    await until(() => calls.inFlight.list().length === 0);
  });

  test.each(['input_required', 'a question'])('has the number of its last report, after %s as well', async (kind) => {
    const { fake, calls, sent, reported, start, answer } = begin();
    const signal = new AbortController().signal;
    fake.onCall = async (_, __, options) => {
      if (kind === 'a question') await options.agent?.ask(form, signal);
      else if (options.continuation?.inputResponses === undefined)
        return { content: [], resultType: 'input_required', inputRequests: { name: form } };
      return { content: [] };
    };
    start(1, caller);
    const given = { action: 'decline' };
    if (era === 'legacy') {
      const asked = await until(() =>
        sent.find((message) => 'method' in message && 'id' in message && message.method === form.method),
      );
      calls.answered({ jsonrpc: '2.0', id: 'id' in asked ? asked.id : 0, result: given });
    } else {
      const { result } = JSON.parse(JSON.stringify(await answer(1)));
      const [key = ''] = Object.keys(result.inputRequests);
      start(2, caller, { requestState: result.requestState, inputResponses: { [key]: given } });
    }
    const last = era === 'legacy' ? 1 : 2;
    await answer(last);
    const ends = reported.flatMap((event) => (event.is === 'called' ? [event] : []));
    expect(ends.at(-1)).toMatchObject({ outcome: 'ok', call: calls.numberOf(last) });
    expect(ends).toHaveLength(kind === 'a question' ? 1 : 2);
  });

  test('that the agent cancels gets no answer, and is listed no more', async () => {
    const { fake, calls, start, only, sent } = begin();
    fake.onCall = (_, __, options) => untilCancelled(options);
    start(1, caller);
    await only();
    calls.cancel(1);
    await until(() => calls.inFlight.list().length === 0);
    expect(sent).toEqual([]);
  });
});
