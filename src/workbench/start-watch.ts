import { DownstreamFailure, type StartedServer } from './ports/downstream.js';

/** What is known of a server while it starts. */
export interface StartWatch {
  readonly started: (server: StartedServer) => void;
  /** What the server wrote last, as a phrase. */
  readonly lastWords: () => Promise<string | undefined>;
  /** The start is over: nothing of the server is kept. */
  end(): void;
  /** The start is over with this error. One that took too long is explained by what the server wrote, if by anything. */
  endWith(error: unknown): Promise<unknown>;
}

export function createStartWatch(): StartWatch {
  let current: StartedServer | undefined;
  return {
    started(server) {
      current = server;
    },
    lastWords: async () => current?.lastWords(),
    end() {
      current = undefined;
    },
    async endWith(error) {
      const server = current;
      current = undefined;
      if (!(error instanceof DownstreamFailure) || error.kind !== 'timeout' || server === undefined) return error;
      const { kind, message, cause } = error;
      const words = await server.lastWords();
      const text = words === undefined ? message : `${message}; ${words}`;
      return new DownstreamFailure(kind, text, { cause, log: server.log });
    },
  };
}
