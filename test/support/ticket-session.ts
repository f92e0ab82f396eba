// Parts that would be loaded when they are first needed: tests with a clock of their own cannot wait for them.
import '../../src/results/select/parse.js';
import '../../src/session/fitted-answer.js';
import '../../src/session/meta-tools/input-check.js';
import '../../src/session/tickets/tickets.js';
import '../../src/workbench/servers/user-hint.js';
import type { CallToolResult } from '../../src/contract/types.js';
import { isRecord } from '../../src/jsonrpc/json.js';
import type { RequestId, RpcMessage } from '../../src/jsonrpc/messages.js';
import { silentLog } from '../../src/platform/log.js';
import { bytesOf, textOf as heldText } from '../../src/results/held-bytes.js';
import { createCalls } from '../../src/session/calls.js';
import { createConversation } from '../../src/session/conversation.js';
import { fitResults } from '../../src/session/fit-results.js';
import { introductionOf } from '../../src/session/introduction/static-answers.js';
import { answerInTime } from '../../src/session/tickets/answer-in-time.js';
import type { CallOptions } from '../../src/workbench/ports/downstream.js';
import { createWorkbench } from '../../src/workbench/workbench.js';
import { configOf, connectTo, FakeServer, outputTo, pending, serverConfig } from './fake-port.js';
import { modern } from './workbench.js';

/** A call that has reached the server, which the test answers. */
export interface ServedCall {
  readonly name: string;
  readonly options: CallOptions;
  readonly isCancelled: () => boolean;
  resolve(result: CallToolResult): void;
  reject(error: Error): void;
}

export interface TicketSpec {
  readonly client?: string;
  readonly isModern?: boolean;
  readonly capabilities?: object;
  readonly answerWithinMs?: number | undefined;
}

export const tool = { toolbox: 'dev', server: 'fs', name: 'echo' };
export const textResult = (text: string) => ({ content: [{ type: 'text', text }] });

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** Time for everything that needs no timer. */
export async function turns(count = 30): Promise<void> {
  for (let at = 0; at < count; at++) await turn();
}

/** A result held as bytes is what these say. */
function asWritten(message: RpcMessage): RpcMessage {
  const bytes = 'result' in message ? bytesOf(message.result) : undefined;
  const json = JSON.stringify(message);
  return JSON.parse(bytes === undefined ? json : JSON.stringify({ ...message, result: JSON.parse(heldText(bytes)) }));
}

/** A session as the program has it, on a workbench whose only server is the test. Everything is in this process. */
export async function ticketSession(spec: TicketSpec = {}) {
  const { client = '@cline/core', isModern = false, capabilities = {} } = spec;
  const fake = new FakeServer();
  fake.tools = ['echo', 'other'];
  const served: ServedCall[] = [];
  fake.onCall = (name, _args, options) => {
    const { promise, resolve, reject } = pending<CallToolResult>();
    const { signal } = options;
    signal?.addEventListener('abort', () => reject(new Error('cancelled')));
    served.push({ name, options, resolve, reject, isCancelled: () => signal?.aborted === true });
    return promise;
  };
  const config = (deny: string[]) =>
    configOf([
      serverConfig({
        limits: { idleTimeoutMs: 0, maxConcurrentCalls: 2_000 },
        rules: [{ from: 'server', deny, ask: [], allow: [] }],
      }),
    ]);
  const workbench = createWorkbench(config([]), connectTo({ fs: fake }), silentLog);
  const received: RpcMessage[] = [];
  const transport = outputTo((message) => void received.push(asWritten(message)));
  const fitted = fitResults(transport, { budget: () => undefined, computer: () => undefined, log: silentLog });
  const fitting = answerInTime(fitted, { limitMs: () => spec.answerWithinMs, log: silentLog });
  const calls = createCalls('session-1', workbench, fitting.output, silentLog);
  /** The numbers of calls, and how many characters of their results the agent got. */
  const shown: (readonly [number | undefined, number])[] = [];
  const link = Object.assign(calls, {
    shown: (id: RequestId, chars: number) => void shown.push([calls.numberOf(id), chars]),
  });
  const send = (message: RpcMessage) => fitting.output.send(message);
  const conversation = createConversation(introductionOf(workbench.overview()), send, fitting.around(link), silentLog);
  const say = (message: object) => conversation.receive({ jsonrpc: '2.0', ...message } as RpcMessage);
  const clientInfo = { name: client, version: '1' };
  if (!isModern)
    say({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities, clientInfo } });
  await turns(1);
  received.length = 0;

  /** Sends a call. `input`: of `use_tool`, beside the tool; `more`: other fields of the request. */
  function use(id: number | string, input: object = {}, more: object = {}): void {
    const params = { name: 'use_tool', arguments: { tool, ...input }, ...more };
    say({ id, method: 'tools/call', params: isModern ? modern(params, capabilities, {}, client) : params });
  }

  function answersTo(id: number | string): RpcMessage[] {
    return received.filter((message) => 'id' in message && message.id === id && !('method' in message));
  }

  /** The result of the only answer to a request; undefined if there is none. */
  function resultOf(id: number | string) {
    const [answer, ...others] = answersTo(id);
    if (others.length > 0) throw new Error(`two answers to ${id}`);
    return answer !== undefined && 'result' in answer && isRecord(answer.result) ? answer.result : undefined;
  }

  function textOf(id: number | string): unknown {
    const content = resultOf(id)?.['content'];
    return Array.isArray(content) ? content[0]?.text : undefined;
  }

  return {
    ...{ received, served, use, answersTo, resultOf, textOf, say, fake, fitting },
    inFlight: calls.inFlight,
    shown,
    apply: (deny: string[]) => workbench.apply(config(deny)),
    /** Another program under the same name: what the server listed counts no more. */
    edit: (settings: Parameters<typeof serverConfig>[0] = {}) =>
      workbench.apply(configOf([serverConfig({ cacheKey: 'edited', fingerprint: 'edited', ...settings })])),
    cancel: (requestId: number | string) => say({ method: 'notifications/cancelled', params: { requestId } }),
    async leave() {
      calls.leave();
      await fitting.close();
      await workbench.close();
    },
  };
}

export type TicketSession = Awaited<ReturnType<typeof ticketSession>>;
