import type { Readable, Writable } from 'node:stream';
import { messageOf } from '../../contract/errors.js';
import { createBatchWriter } from '../../jsonrpc/batch-writer.js';
import { createIdScanner } from '../../jsonrpc/id-scanner.js';
import { InFlight } from '../../jsonrpc/in-flight.js';
import { isRecord } from '../../jsonrpc/json.js';
import { lineOf } from '../../jsonrpc/line-ends.js';
import { createLineReader } from '../../jsonrpc/lines.js';
import {
  failureFrom,
  isRequest,
  isRequestId,
  messageIn,
  type RequestId,
  type RpcMessage,
  rpcCode,
} from '../../jsonrpc/messages.js';
import { backlogWithoutInputBytes, longestAgentMessage, longestMessageToAgent } from '../../limits.js';
import { messagePieces } from '../../results/message-pieces.js';
import { excessBytes, excessIn } from '../../session/request-limits.js';
import type { AgentTransport } from '../../session/transport.js';

/**
 * MCP towards the agent, one message per line. An invalid line is reported, answered with an error if it has an id, and
 * otherwise ignored; the connection stays open.
 */
export function createStdioTransport(input: Readable, output: Writable): AgentTransport {
  const writer = createBatchWriter(output);
  let closed = false;
  // Unanswered requests from the agent.
  const running = new InFlight<true>();

  function refuse(id: unknown, code: number, message: string): void {
    transport.onerror?.(new Error(message));
    // A second response under an id in flight would be matched to the first request.
    if (isRequestId(id) ? running.has(id) : id !== null) return;
    writer.write([`${lineOf({ jsonrpc: '2.0', id, error: { code, message } })}\n`]);
  }

  /** A message that is over a limit. */
  function refuseExcess(id: RequestId | undefined, method: string | undefined, problem: string): void {
    transport.onerror?.(new Error(`refused a message: it ${problem}`));
    if (id === undefined) return;
    // A response to a question: the question has failed.
    if (method === undefined)
      deliver({ jsonrpc: '2.0', id, error: { code: rpcCode.invalidRequest, message: `The answer ${problem}` } });
    if (method === undefined || running.has(id)) return;
    running.set(id, true);
    transport.onrefused?.({ id, method, problem });
  }

  function isNew(message: RpcMessage): boolean {
    if (!('method' in message)) return true;
    if (message.method === 'notifications/cancelled') running.delete(message.params?.['requestId']);
    if (!('id' in message)) return true;
    if (running.has(message.id)) return false;
    running.set(message.id, true);
    return true;
  }

  function deliver(value: unknown, line?: Buffer): void {
    const message = messageIn(value);
    if (message === undefined) {
      refuse(idOf(value), rpcCode.invalidRequest, 'Invalid request: not a JSON-RPC 2.0 message');
      return;
    }
    if (isNew(message)) transport.onmessage?.(message, line);
    // No response: the client would match it to the first request.
    else transport.onerror?.(new Error('ignored a request: its id is already in flight'));
  }

  function receive(line: Buffer): void {
    const problem = excessIn(line);
    if (problem !== undefined) {
      const scan = createIdScanner();
      scan.feed(line);
      refuseExcess(scan.id(), scan.method(), problem);
      return;
    }
    let value: unknown;
    try {
      value = JSON.parse(line.toString('utf8'));
    } catch {
      refuse(undefined, rpcCode.parseError, 'Parse error: a line on stdin is not JSON');
      return;
    }
    // Revision 2025-03-26 allows batches.
    if (Array.isArray(value)) for (const message of value) deliver(message);
    else deliver(value, line);
  }

  const close = () => {
    if (closed) return;
    closed = true;
    input.off('data', receiveChunk);
    input.pause();
    transport.onclose?.();
  };

  const read = createLineReader(longestAgentMessage, {
    line: receive,
    tooLong: (bytes, id, method) => refuseExcess(id, method, excessBytes(bytes)),
  });

  /** An agent that asks and does not read would make us keep all the answers. */
  function receiveChunk(chunk: Buffer): void {
    read(chunk);
    if (writer.backlog > backlogWithoutInputBytes) input.pause();
  }

  /** A message may be too large, or nested too deeply to serialize. */
  function write(message: RpcMessage): void {
    try {
      writer.write(messagePieces(message, transport.maxBytes, '\n'));
    } catch (error) {
      const text = `Message not sent: ${messageOf(error)}`;
      transport.onerror?.(new Error(text));
      if (isRequest(message)) throw error;
      if ('id' in message) write(failureFrom(message.id, new Error(text)));
    }
  }

  const transport: AgentTransport = {
    maxBytes: longestMessageToAgent,
    get unread() {
      return writer.backlog;
    },
    start() {
      input.on('data', receiveChunk);
      for (const event of ['end', 'close', 'error']) input.once(event, close);
      // A failed write means that the agent has disconnected.
      output.once('error', close);
      output.on('drain', () => {
        if (!closed && writer.backlog <= backlogWithoutInputBytes) input.resume();
        transport.ondrain?.();
      });
    },
    send(message) {
      if (closed) return;
      if (!('method' in message)) running.delete(message.id);
      write(message);
    },
    close,
  };
  return transport;
}

/** The id for an error response: null to a request whose own id cannot be sent back, undefined for none. */
function idOf(value: unknown): unknown {
  if (!isRecord(value)) return undefined;
  return isRequestId(value['id']) ? value['id'] : 'id' in value && 'method' in value ? null : undefined;
}
