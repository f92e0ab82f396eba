import type { Readable, Writable } from 'node:stream';
import { messageOf } from '../contract/errors.js';
import type { CallToolResult } from '../contract/types.js';
import { isRecord } from '../jsonrpc/json.js';
import { failureFrom, type RpcMessage, rpcCode } from '../jsonrpc/messages.js';
import { RequestProblem } from '../jsonrpc/request-problem.js';
import { modernRevision } from '../jsonrpc/revisions.js';
import { silentLog } from '../platform/log.js';
import { createStdioTransport } from '../serve/stdio/stdio-transport.js';
import { type Calls, createConversation } from '../session/conversation.js';
import { completed } from '../session/introduction/identity.js';
import { createStaticAnswers } from '../session/introduction/static-answers.js';

import { createTools, type GuideTool } from './tools.js';

/** The server of the embedded toolbox `getting-started`: it explains the configuration, checks one, and echoes text. */
export function serveGettingStarted(input: Readable, output: Writable, check: (configuration: string) => string): void {
  const tools = createTools(check);
  // Serialization leaves out the functions.
  const answers = createStaticAnswers(tools, { capabilities: { tools: {}, resources: {} } });
  const transport = createStdioTransport(input, output);
  const send = (message: RpcMessage) => transport.send(message);
  const conversation = createConversation(answers, send, createCalls(tools, send), silentLog);
  transport.onmessage = (message) => conversation.receive(message);
  transport.start();
}

/** Every call is answered at once, so there is nothing to cancel and no question to ask. */
function createCalls(tools: readonly GuideTool[], send: (message: RpcMessage) => void): Calls {
  return {
    start({ id, method, params = {} }, { revision }) {
      const tool = tools.find(({ name }) => name === params['name']);
      if (method !== 'tools/call' || tool === undefined) {
        send(failureFrom(id, new RequestProblem(rpcCode.invalidParams, 'No such tool or resource')));
        return;
      }
      const result = call(tool, params['arguments']);
      send({ jsonrpc: '2.0', id, result: revision >= modernRevision ? completed(result) : result });
    },
    cancel: () => {},
    answered: () => {},
    rootsChanged: () => {},
  };
}

function call(tool: GuideTool, args: unknown): CallToolResult {
  try {
    return { content: [{ type: 'text', text: tool.call(isRecord(args) ? args : {}) }] };
  } catch (error) {
    return { content: [{ type: 'text', text: messageOf(error) }], isError: true };
  }
}
