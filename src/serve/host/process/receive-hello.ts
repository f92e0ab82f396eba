import type { Socket } from 'node:net';
import { messageOf } from '../../../contract/errors.js';
import type { JsonObject } from '../../../jsonrpc/json.js';
import type { Refuse } from '../../../observe/status/open-status-socket.js';
import { build } from '../../../platform/build.js';
import type { Log } from '../../../platform/log.js';
import { version } from '../../../platform/version.js';
import { readHello } from '../protocol.js';
import { type Loaded, serveSession } from './serve-session.js';

/** A session from its hello on. */
export interface HostedSession {
  /** Resolves when its front is gone and everything of it has ended. */
  readonly over: Promise<void>;
  /** `isWanted`: nothing is wrong with this process. The session gets `ENDING`, and attaches to the next host. */
  close(isWanted: boolean): void;
}

/** Answers a hello at once, so that the front can see that this process is well, then serves its session. */
export function receiveHello(
  ask: JsonObject,
  socket: Socket,
  refuse: Refuse,
  load: () => Promise<Loaded>,
  log: Log,
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
    // With everything loaded, what follows is written with it: the front wakes up once.
    socket.cork();
    setImmediate(() => socket.uncork());
    socket.write(`${JSON.stringify({ workbench: 1, hello: { pid: process.pid } })}\n`);
    await serveSession(socket, hello, await load(), (sayThatItEnds) => {
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
