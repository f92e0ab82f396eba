import { messageOf } from '../contract/errors.js';
import { isRequest, type RpcMessage, rpcCode } from '../jsonrpc/messages.js';
import type { Log } from '../platform/log.js';
import type { Overview } from '../workbench/toolbox.js';
import { createOpener, type Opener } from './introduction/static-answers.js';
import type { AgentWire } from './stdio-wire.js';

/** What has been agreed with an agent before its first call. */
export interface Introduction {
  readonly opener: Opener;
  /** The messages in which it introduced itself; they have been answered. */
  readonly handshake: readonly RpcMessage[];
}

/** Serves one agent from its first call on. */
export interface Session {
  take(message: RpcMessage): void;
}

/**
 * Where an agent comes in. Every start of a client waits for its first questions to be answered, so that is all that is
 * loaded for them; what it takes to serve more comes with the first message that asks for more.
 */
export function openDoor(
  overview: Overview,
  wire: AgentWire,
  enter: (introduction: Introduction) => Promise<Session>,
  log: Log,
): void {
  const opener = createOpener(overview, (message) => wire.send(message));
  const handshake: RpcMessage[] = [];
  let waiting: RpcMessage[] = [];
  let session: Session | undefined;
  let isEntering = false;

  function receive(message: RpcMessage): void {
    if (session !== undefined) {
      session.take(message);
    } else if (isEntering) {
      waiting.push(message);
    } else if (!opens(message) && isRequest(message)) {
      waiting.push(message);
      isEntering = true;
      void enter({ opener, handshake }).then(begin, refuse);
    }
    // Nobody waits for anything else that comes before the first call.
  }

  function opens(message: RpcMessage): boolean {
    const isTaken = opener.take(message);
    if (isTaken && isHandshake(message)) handshake.push(message);
    return isTaken;
  }

  function begin(entered: Session): void {
    session = entered;
    for (const message of waiting) entered.take(message);
    waiting = [];
  }

  function refuse(error: unknown): void {
    const message = messageOf(error);
    log.error(message);
    isEntering = false;
    for (const held of waiting.splice(0)) {
      if (opens(held) || !isRequest(held)) continue;
      wire.send({ jsonrpc: '2.0', id: held.id, error: { code: rpcCode.internalError, message } });
    }
  }

  wire.onmessage = receive;
  wire.onerror = (error) => log.warn(`agent: ${error.message}`);
  wire.start();
}

export function isHandshake(message: RpcMessage): boolean {
  return 'method' in message && (message.method === 'initialize' || message.method === 'notifications/initialized');
}
