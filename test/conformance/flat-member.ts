import { isRecord, type JsonObject } from '../../src/jsonrpc/json.js';
import { failureFrom, type RpcFailure, type RpcRequest, type RpcResult } from '../../src/jsonrpc/messages.js';
import { bytesOf, textOf } from '../../src/results/held-bytes.js';
import type { Exchange } from '../../src/serve/http/exchange/exchange.js';
import type { Member } from '../../src/serve/http/member.js';
import type { Caller } from '../../src/session/caller.js';
import { cachedForMinute, completed } from '../../src/session/introduction/identity.js';
import { fixture } from './flat-link.js';
import { answerOfAdapter, legacyUtilities } from './prompts.js';

type Answer = RpcResult | RpcFailure;

/** What is listed, by the call that finds it. */
const lists = new Map<unknown, { readonly call: JsonObject; readonly listed: (result: JsonObject) => JsonObject }>([
  [
    'tools/list',
    {
      call: { name: 'open_toolbox', arguments: { toolbox: fixture.toolbox } },
      listed: (result) => ({
        tools: JSON.parse(firstText(result)).tools.map(
          ({ toolbox: _toolbox, server: _server, ...tool }: JsonObject) => tool,
        ),
      }),
    },
  ],
  [
    'resources/list',
    {
      call: { name: 'test_resource_links' },
      listed: ({ content }) => ({
        resources: blocksOf(content).map(({ type: _type, ...link }) => link),
      }),
    },
  ],
]);

/**
 * A user of the service whose clients see the tools of one server as if they were the workbench's own. Everything else is the same as
 * for every agent: sessions, exchanges and streams are those of the product.
 */
export function flatMember(member: Member): Member {
  const known = seen.get(member) ?? seenFlat(member);
  seen.set(member, known);
  return known;
}

const seen = new WeakMap<Member, Member>();

function seenFlat(member: Member): Member {
  const { modern, legacy } = member;
  const names = createClientNames();
  return {
    ...member,
    get isIdle() {
      return member.isIdle;
    },
    modern: {
      ...modern,
      receive(request, caller, exchange) {
        if (request.method === 'server/discover') alter(exchange, (result) => withCapabilities(result, {}));
        if (answer(request, exchange, completed)) return undefined;
        const list = listOf(request, exchange, (result) => completed({ ...result, ...cachedForMinute }));
        return modern.receive(list ?? request, names.asOne(request, caller, exchange), exchange);
      },
    },
    legacy: {
      ...legacy,
      initialize(request) {
        const made = legacy.initialize(request);
        if ('status' in made) return made;
        const added = { logging: {}, resources: { subscribe: true } };
        return { ...made, result: withCapabilities({ ...made.result }, added) };
      },
      request(sessionId, request, exchange) {
        const nothing = { jsonrpc: '2.0', method: 'notifications/initialized' } as const;
        const why = legacy.notify(sessionId, nothing);
        if (why !== undefined) return why;
        if (legacyUtilities.has(request.method)) exchange.answer(resultOf(request, {}), Number.POSITIVE_INFINITY);
        else if (!answer(request, exchange, (result) => result))
          return legacy.request(sessionId, listOf(request, exchange, (result) => result) ?? request, exchange);
        return undefined;
      },
    },
  };
}

/**
 * Each call of a tool that asks is one of a client of its own: scenarios leave questions unanswered, and a user gets those of a server one
 * after the other. A call that brings answers is one of the client that was asked.
 */
function createClientNames() {
  const asked = new Map<unknown, string>();
  let count = 0;
  return {
    asOne({ params = {} }: RpcRequest, caller: Caller, exchange: Exchange): Caller {
      if (!String(params['name']).startsWith('test_input_required')) return caller;
      const name = asked.get(params['requestState']) ?? `client ${++count}`;
      alter(exchange, (result) => {
        if (typeof result['requestState'] === 'string') asked.set(result['requestState'], name);
        return result;
      });
      return { ...caller, client: { name, version: '1' } };
    },
  };
}

function withCapabilities(result: JsonObject, more: JsonObject): JsonObject {
  const { capabilities } = result;
  // Its list is made of tools that the suite changes, and not of a configuration, whose changes are reported.
  return { ...result, capabilities: { ...Object(capabilities), tools: {}, prompts: {}, completions: {}, ...more } };
}

/** Whether the request is one of those that the adapter answers. */
function answer(request: RpcRequest, exchange: Exchange, finish: (result: JsonObject) => JsonObject): boolean {
  let answered: Answer;
  try {
    const result = answerOfAdapter(request.method, request.params ?? {});
    if (result === undefined) return false;
    answered = resultOf(request, finish({ ...result }));
  } catch (error) {
    answered = failureFrom(request.id, error);
  }
  exchange.answer(answered, Number.POSITIVE_INFINITY);
  return true;
}

/** The call that finds what the request asks for, whose result becomes the list. */
function listOf(
  request: RpcRequest,
  exchange: Exchange,
  finish: (result: JsonObject) => JsonObject,
): RpcRequest | undefined {
  const { method, params = {} } = request;
  const list = lists.get(method);
  if (list === undefined) return undefined;
  alter(exchange, (result) => finish(list.listed(result)));
  const { _meta } = params;
  return { ...request, method: 'tools/call', params: { ...list.call, ...(isRecord(_meta) && { _meta }) } };
}

function alter(exchange: Exchange, change: (result: JsonObject) => JsonObject): void {
  const send = exchange.answer.bind(exchange);
  exchange.answer = (message, maxBytes) =>
    send('result' in message ? { ...message, result: change(valueOf(message.result)) } : message, maxBytes);
}

function valueOf(result: unknown): JsonObject {
  const bytes = bytesOf(result);
  const value: unknown = bytes === undefined ? result : JSON.parse(textOf(bytes));
  if (!isRecord(value)) throw new Error('the result is not an object');
  return value;
}

function blocksOf(content: unknown): readonly JsonObject[] {
  return Array.isArray(content) ? content : [];
}

function firstText({ content }: JsonObject): string {
  return String(blocksOf(content)[0]?.['text']);
}

function resultOf({ id }: RpcRequest, result: JsonObject): RpcResult {
  return { jsonrpc: '2.0', id, result };
}
