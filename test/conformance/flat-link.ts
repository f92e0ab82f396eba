import { isRecord, type JsonObject } from '../../src/jsonrpc/json.js';
import { failureFrom, type RequestId, type RpcMessage, rpcCode } from '../../src/jsonrpc/messages.js';
import { RequestProblem } from '../../src/jsonrpc/request-problem.js';
import type { ServiceEngine } from '../../src/serve/http/sessions/service.js';
import { withSend } from '../../src/session/transport.js';

/** The one server behind the workbench, whose tools are listed as if they were the workbench's own. */
export const fixture = { toolbox: 'conformance', server: 'fixture' } as const;

/** A call of one of its tools. */
function useOf(name: unknown, args: unknown = {}): JsonObject {
  return { name: 'use_tool', arguments: { tool: { ...fixture, name }, arguments: args } };
}

const loggingToken = 'conformance/log';

/** The engine of the product; calls of the server's tools become calls of `use_tool` on their way to it. */
export function flatEngine(engine: ServiceEngine): ServiceEngine {
  return {
    ...engine,
    openLink(config, output, session, user) {
      const waiting = new Map<RequestId, () => void>();
      let count = 0;
      const flat = withSend(output, (message, inReplyTo) => {
        const next = 'method' in message ? undefined : waiting.get(message.id);
        if (next === undefined) output.send(adapted(message), inReplyTo);
        else next();
      });
      const link = engine.openLink(config, flat, session, user);
      const start = link.start.bind(link);
      link.start = (request, caller) => {
        const { method, params = {} } = request;
        const call = (given: JsonObject) => start({ ...request, params: given }, caller);
        if (method === 'tools/call') return call(params['name'] === 'open_toolbox' ? params : useCall(params));
        // A resource can be read only after a result has linked to it; the suite reads without such a result.
        const id = `conformance/links-${++count}`;
        waiting.set(id, () => {
          waiting.delete(id);
          call(params);
        });
        const links = { jsonrpc: '2.0', id, method: 'tools/call', params: useOf('test_resource_links') } as const;
        start(links, caller);
      };
      return link;
    },
  };
}

function useCall({ name, arguments: args, ...params }: JsonObject): JsonObject {
  const call = { ...params, ...useOf(name, args) };
  if (name !== 'test_tool_with_logging') return call;
  // The workbench does not forward log messages of servers, so this tool sends them as progress.
  const { _meta: meta } = params;
  return { ...call, _meta: { ...(isRecord(meta) && meta), progressToken: loggingToken } };
}

function adapted(message: RpcMessage): RpcMessage {
  if ('method' in message) {
    if (message.params?.['progressToken'] !== loggingToken) return message;
    const params = { level: 'info', data: message.params['message'] };
    return { jsonrpc: '2.0', method: 'notifications/message', params };
  }
  if (!('result' in message) || !isRecord(message.result)) return message;
  const { isError, content } = message.result;
  const text: unknown = isError === true && Array.isArray(content) ? content[0]?.text : undefined;
  const [, method] = /it requires (\S+), which this client does not support/.exec(String(text)) ?? [];
  if (method === undefined) return message;
  // The agent of a workbench gets a text. The client of a flat server expects an error.
  const requiredCapabilities = { [method.split('/')[0]?.replace('createMessage', '') ?? '']: {} };
  return failureFrom(message.id, new RequestProblem(rpcCode.missingCapability, String(text), { requiredCapabilities }));
}
