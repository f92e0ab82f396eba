import { DownstreamFailure, type StartedServer } from './ports/downstream.js';
import type { StartOptions } from './supervised-server.js';
import { StillWaiting, within } from './within.js';

/** What is known of a server while it starts. */
export interface StartWatch {
  readonly started: (server: StartedServer) => void;
  /** What the server wrote last, as a phrase. */
  readonly lastWords: () => Promise<string | undefined>;
  /** Waits for work that needs the start, for as long as the options say. What the server wrote last is part of the error. */
  inTime<T>(options: StartOptions, work: Promise<T>): Promise<T>;
  /** The start is over: nothing of the server is kept. */
  end(): void;
  /** The start is over with this error. One that took too long is explained by what the server wrote, if by anything. */
  endWith(error: unknown): Promise<unknown>;
}

export function createStartWatch(): StartWatch {
  let current: StartedServer | undefined;
  const lastWords = async () => current?.lastWords();
  return {
    started(server) {
      current = server;
    },
    lastWords,
    async inTime({ signal, limitMs }, work) {
      if (limitMs === undefined) return work;
      try {
        return await within(limitMs, work, signal);
      } catch (error) {
        throw error instanceof StillWaiting ? new StillWaiting(error.message, await lastWords()) : error;
      }
    },
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
