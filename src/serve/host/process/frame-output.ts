import type { Socket } from 'node:net';
import { messageOf } from '../../../contract/errors.js';
import { lineOf } from '../../../jsonrpc/line-ends.js';
import { failureFrom, isRequest, type RequestId, type RpcMessage } from '../../../jsonrpc/messages.js';
import { longestMessageToAgent } from '../../../limits.js';
import { bytesOf, type Pieces } from '../../../results/held-bytes.js';
import type { AgentOutput } from '../../../session/transport.js';
import { createFrameWriter, type FrameKind, frameKinds } from '../frames.js';
import { methods } from '../protocol.js';

/** What an agent receives, as frames to its session. Ids of requests are the numbers of their frames. */
export interface FrameOutput extends AgentOutput {
  control(method: string, params: object): void;
  flush(): void;
  /** Cuts the session off. */
  end(): void;
  onerror?: (error: Error) => void;
}

/** What the session writes around a result: `{"result":…,"jsonrpc":"2.0","id":…}` and the end of the line, with an id of some digits. */
const frameOverhead = 40;

export function createFrameOutput(socket: Socket): FrameOutput {
  const writer = createFrameWriter(socket);

  function write(kind: FrameKind, number: unknown, content: Pieces): void {
    const bytes = content.reduce((sum, piece) => sum + Buffer.byteLength(piece), frameOverhead);
    if (bytes > output.maxBytes) {
      throw new Error(`${bytes} bytes are over the limit ${output.maxBytes} (maxResultBytes)`);
    }
    writer.write(kind, Number(number) >>> 0, content);
  }

  function writeMessage(message: RpcMessage, inReplyTo: RequestId | undefined): void {
    if ('result' in message) {
      write(frameKinds.result, message.id, bytesOf(message.result) ?? [lineOf(message.result)]);
    } else if ('error' in message) {
      write(frameKinds.failure, message.id, [lineOf(message.error)]);
    } else if (isRequest(message)) {
      const { method, params } = message;
      write(frameKinds.question, message.id, [lineOf({ method, params, inReplyTo })]);
    } else if (message.method === 'notifications/cancelled') {
      const { requestId, reason } = message.params ?? {};
      write(frameKinds.control, requestId, [lineOf({ method: methods.withdraw, params: { reason } })]);
    } else {
      write(frameKinds.notification, inReplyTo ?? 0, [lineOf(message)]);
    }
  }

  const output: FrameOutput = {
    maxBytes: longestMessageToAgent,
    get unread() {
      return writer.backlog;
    },
    /** A message may be too large, or nested too deeply to serialize. */
    send(message, inReplyTo) {
      if (socket.destroyed) return;
      try {
        writeMessage(message, inReplyTo);
      } catch (error) {
        const text = `Message not sent: ${messageOf(error)}`;
        output.onerror?.(new Error(text));
        if (isRequest(message)) throw error;
        if ('id' in message) writeMessage(failureFrom(message.id, new Error(text)), undefined);
      }
    },
    control: (method, params) => writer.write(frameKinds.control, 0, [JSON.stringify({ method, params })]),
    flush: () => writer.flush(),
    end: () => void socket.destroy(),
  };
  return output;
}
