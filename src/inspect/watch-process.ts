import type { Socket } from 'node:net';
import type { JsonObject } from '../jsonrpc/json.js';
import { longestAnswerBytes, type ProcessStatus, type StatusEvent } from '../observe/status/protocol.js';
import { readEvent, readStatus } from '../observe/status/read-status.js';
import { ask, askLine, connectTo } from '../platform/sockets/socket-client.js';

/** What is heard of one process. */
export interface ProcessListener {
  /** It answers: how it stands, and after that what happened before. */
  status(status: ProcessStatus): void;
  past(events: readonly StatusEvent[]): void;
  event(event: StatusEvent): void;
  /** The connection is over. `foreign`: it answers something else, or is of another version. `gone`: it has ended. */
  ended(why: 'foreign' | 'gone'): void;
}

/** Watches a process until it ends. The returned function ends this; nothing is heard after it. */
export function watchProcess(path: string, listener: ProcessListener): () => void {
  let isOver = false;
  let socket: Socket | undefined;

  async function watch(): Promise<'foreign' | 'gone'> {
    const connection = await connectTo(path);
    if (connection.is !== 'connected') return 'gone';
    socket = connection.socket;
    if (isOver) return 'gone';
    const answers = ask(socket, askLine({ ask: 'watch', history: true }), longestAnswerBytes);
    for (;;) {
      const received = await answers.next(Infinity);
      if (isOver || received.is === 'closed' || received.is === 'silent') return 'gone';
      if (received.is === 'foreign' || !deliver(received.message, listener)) return 'foreign';
    }
  }

  void watch().then((why) => {
    socket?.destroy();
    if (isOver) return;
    isOver = true;
    listener.ended(why);
  });
  return () => {
    isOver = true;
    socket?.destroy();
  };
}

/** False for what is not of this protocol. Events of a kind that is not known are ignored. */
function deliver(message: JsonObject, listener: ProcessListener): boolean {
  if ('error' in message) return false;
  const { status, history, event } = message;
  if (status !== undefined) {
    const known = readStatus(status);
    if (known !== undefined) listener.status(known);
    return known !== undefined;
  }
  if (Array.isArray(history)) listener.past(history.flatMap((one: unknown) => readEvent(one) ?? []));
  const known = readEvent(event);
  if (known !== undefined) listener.event(known);
  return true;
}
