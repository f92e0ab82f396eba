import type { Readable, Writable } from 'node:stream';
import { messageOf } from '../contract/errors.js';
import { createBatchWriter } from '../jsonrpc/batch-writer.js';
import { InFlight } from '../jsonrpc/in-flight.js';
import { isRecord } from '../jsonrpc/json.js';
import { createLineReader } from '../jsonrpc/lines.js';
import {
  isRequestId,
  type RequestId,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
  rpcCode,
} from '../jsonrpc/messages.js';
import { longestAgentMessage } from '../limits.js';
import type { ToolResult } from '../results/tool-result.js';

/** MCP towards an agent. */
export interface AgentWire {
  onmessage?: (message: RpcMessage) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  start(): void;
  send(message: RpcMessage): void;
  close(): void;
}

/**
 * MCP towards the agent, one message per line. An invalid line is reported, answered with an error if it has an id, and
 * otherwise ignored; the connection stays open.
 */
export function createStdioWire(input: Readable, output: Writable, onAgentGone: () => void): AgentWire {
  const writer = createBatchWriter(output);
  let closed = false;
  // Unanswered requests from the agent.
  const running = new InFlight<true>();

  function refuse(id: unknown, code: number, message: string): void {
    wire.onerror?.(new Error(message));
    // A second response under an id in flight would be matched to the first request.
    if (isRequestId(id) && !running.has(id)) wire.send({ jsonrpc: '2.0', id, error: { code, message } });
  }

  function isNew(message: RpcMessage): boolean {
    if (!('method' in message)) return true;
    if (message.method === 'notifications/cancelled') running.delete(message.params?.['requestId']);
    if (!('id' in message)) return true;
    if (running.has(message.id)) return false;
    running.set(message.id, true);
    return true;
  }

  function deliver(value: unknown): void {
    const message = messageIn(value);
    if (message === undefined) {
      const id = isRecord(value) ? value['id'] : undefined;
      refuse(id, rpcCode.invalidRequest, 'Invalid request: not a JSON-RPC 2.0 message');
      return;
    }
    if (isNew(message)) wire.onmessage?.(message);
    // No response: the client would match it to the first request.
    else wire.onerror?.(new Error('ignored a request: its id is already in flight'));
  }

  function receive(line: Buffer): void {
    let value: unknown;
    try {
      value = JSON.parse(line.toString('utf8'));
    } catch {
      refuse(undefined, rpcCode.parseError, 'Parse error: a line on stdin is not JSON');
      return;
    }
    // Revision 2025-03-26 allows batches.
    for (const message of Array.isArray(value) ? value : [value]) deliver(message);
  }

  const close = () => {
    if (closed) return;
    closed = true;
    input.off('data', read);
    input.pause();
    wire.onclose?.();
    onAgentGone();
  };

  const read = createLineReader(longestAgentMessage, {
    line: receive,
    tooLong: (bytes, id) =>
      refuse(id, rpcCode.invalidRequest, `Invalid request: the message is too large (${bytes} bytes)`),
  });

  /** A result may be nested too deeply to serialize. Then an error is sent instead; for a question the error is thrown. */
  function serialized(message: RpcMessage): readonly (string | Uint8Array)[] {
    try {
      return piecesOf(message);
    } catch (error) {
      if ('method' in message) throw error;
      const text = `the response cannot be serialized: ${messageOf(error)}`;
      wire.onerror?.(new Error(text));
      return piecesOf({ jsonrpc: '2.0', id: message.id, error: { code: rpcCode.internalError, message: text } });
    }
  }

  const wire: AgentWire = {
    start() {
      input.on('data', read);
      for (const event of ['end', 'close', 'error']) input.once(event, close);
      // A failed write means that the agent has disconnected.
      output.once('error', close);
    },
    send(message) {
      if (closed) return;
      if (!('method' in message)) running.delete(message.id);
      writer.write(serialized(message));
    },
    close,
  };
  return wire;
}

/** The line of a message. A result held as bytes is written as it is. */
function piecesOf(message: RpcMessage): readonly (string | Uint8Array)[] {
  const bytes = 'result' in message ? bytesOf(message.result) : undefined;
  if (bytes === undefined || !('id' in message)) return [`${JSON.stringify(message)}\n`];
  // Our id comes last, and of duplicate keys the last counts: no id inside the server's bytes can replace it.
  return ['{"result":', ...bytes, `,"jsonrpc":"2.0","id":${JSON.stringify(message.id)}}\n`];
}

/** Not by `instanceof`: parts have their own copies of the class. Values parsed from JSON contain no functions. */
function bytesOf(result: unknown): readonly Uint8Array[] | undefined {
  if (!isRecord(result) || typeof result['bytes'] !== 'function') return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only a ToolResult has functions
  return (result as unknown as ToolResult).bytes();
}

/** Undefined: it is not a message. */
function messageIn(value: unknown): RpcMessage | undefined {
  if (!isRecord(value) || value['jsonrpc'] !== '2.0') return undefined;
  const { id, method } = value;
  if (method === undefined) return isRequestId(id) ? responseIn(id, value) : undefined;
  const isCall = typeof method === 'string' && (!('params' in value) || isRecord(value['params']));
  if (!isCall || ('id' in value && !isRequestId(id))) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every field was checked; a copy shows in the cost of a call
  return value as unknown as RpcRequest | RpcNotification;
}

/** A malformed response is still the response to our request, and ends it. */
function responseIn(id: RequestId, { result, error }: Readonly<Record<string, unknown>>): RpcMessage | undefined {
  // Some clients write both, and null for the one that does not apply.
  if (isRecord(error)) {
    const { code, message, data } = error;
    return {
      jsonrpc: '2.0',
      id,
      error: {
        code: typeof code === 'number' ? code : rpcCode.internalError,
        message: typeof message === 'string' ? message : 'the error has no message',
        ...(data !== undefined && { data }),
      },
    };
  }
  return result === undefined ? undefined : { jsonrpc: '2.0', id, result };
}
