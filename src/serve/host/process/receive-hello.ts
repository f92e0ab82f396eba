import type { Socket } from 'node:net';
import { messageOf } from '../../../contract/errors.js';
import type { JsonObject } from '../../../jsonrpc/json.js';
import type { Refuse } from '../../../observe/status/open-status-socket.js';
import { build } from '../../../platform/build.js';
import type { Log } from '../../../platform/log.js';
import { version } from '../../../platform/version.js';
import type { Rights } from '../authority.js';
import { readHello } from '../protocol.js';
import { newNonce, proveRights } from './peer-rights.js';
import { type Loaded, serveSession } from './serve-session.js';

/** A session from its hello on. */
export interface HostedSession {
  /** Resolves when its front is gone and everything of it has ended. */
  readonly over: Promise<void>;
  /** `isWanted`: nothing is wrong with this process. The session gets `ENDING`, and attaches to the next host. */
  close(isWanted: boolean): void;
}

export interface Receiving {
  /** Of this process. */
  readonly rights: Rights;
  readonly load: () => Promise<Loaded>;
  readonly log: Log;
}

/** Answers a hello at once, as a sign of life for the front, then serves its session if that may use this host. */
export function receiveHello(
  ask: JsonObject,
  socket: Socket,
  refuse: Refuse,
  { rights, load, log }: Receiving,
): HostedSession {
  let end = () => refuse('ENDING', 'This host ends');
  const over = serve().catch((error: unknown) => {
    refuse('FAILED', messageOf(error));
    log.warn(`a session was refused: ${messageOf(error)}`);
  });

  async function serve(): Promise<void> {
    const hello = readHello(ask);
    if (typeof hello === 'string') throw new Error(`Invalid hello: ${hello}`);
    if (hello.version !== version || hello.build !== build) {
      throw new Error(`This host is of version ${version}, the session of ${hello.version}`);
    }
    const nonce = newNonce();
    socket.write(`${JSON.stringify({ workbench: 1, hello: { pid: process.pid, nonce } })}\n`);
    const [isProven, loaded] = await Promise.all([proveRights(socket, hello.pid, nonce, rights), load()]);
    if (!isProven) return;
    await serveSession(socket, hello, loaded, (sayThatItEnds) => {
      end = sayThatItEnds;
    });
  }

  return {
    over,
    close(isWanted) {
      if (!isWanted) {
        socket.destroy();
        return;
      }
      end();
      socket.destroySoon();
    },
  };
}
