import type { ServerConfig } from '../../config/config.js';
import { DownstreamFailure } from '../../contract/downstream-failure.js';
import { messageOf } from '../../contract/errors.js';
import { longestReason } from '../../limits.js';
import { printableLine } from '../../text/printable.js';
import { shorten } from '../../text/shorten.js';
import type { Downstream, StartedServer } from '../ports/downstream.js';
import type { Observer, ServerFailure } from '../ports/observer.js';
import type { StartOptions } from './supervised-server.js';
import { StillWaiting, within } from './within.js';

/** What is known of a server while it starts; its start is reported to the observer. */
export interface StartWatch {
  begin(): void;
  /** Whether there was a start. */
  hasBegun(): boolean;
  /** Whether the last start that is over has failed. */
  readonly hasFailed: () => boolean;
  /** Whether a wait for it has timed out since it was last ready. */
  readonly isOverdue: () => boolean;
  /** A wait for it has timed out; the start continues. */
  readonly markOverdue: () => void;
  readonly started: (server: StartedServer) => void;
  /** What the server wrote last, as a phrase. */
  readonly lastWords: () => Promise<string | undefined>;
  /** Waits for work that needs the start, for as long as the options say. What the server wrote last is part of the error. */
  inTime<T>(options: StartOptions, work: Promise<T>): Promise<T>;
  /** The server is ready: nothing of its start is kept. */
  end(downstream: Downstream, tools: number): void;
  /**
   * The start is over with this error. One that took too long is explained by what the server wrote, if by anything. One that
   * was given up is reported as cancelled: it says nothing about the server.
   */
  endWith(error: unknown, isGivenUp: boolean): Promise<unknown>;
}

export function createStartWatch(server: () => ServerConfig, observer: Observer): StartWatch {
  let current: StartedServer | undefined;
  let began = 0;
  let hasFailed = false;
  let isOverdue = false;
  const lastWords = async () => current?.lastWords();

  async function explained(error: unknown): Promise<unknown> {
    const last = current;
    current = undefined;
    if (!(error instanceof DownstreamFailure) || error.kind !== 'timeout' || last === undefined) return error;
    const { kind, message, cause } = error;
    const words = await last.lastWords();
    const text = words === undefined ? message : `${message}; ${words}`;
    return new DownstreamFailure(kind, text, { cause, log: last.log });
  }

  return {
    begin() {
      began = performance.now();
      observer.report({ is: 'starting', at: Date.now(), server: server() });
    },
    hasBegun: () => began > 0,
    hasFailed: () => hasFailed,
    isOverdue: () => isOverdue,
    markOverdue() {
      isOverdue = true;
    },
    started(next) {
      current = next;
    },
    lastWords,
    async inTime({ signal, limitMs }, work) {
      if (limitMs === undefined && signal === undefined) return work;
      try {
        return await within(limitMs, work, signal);
      } catch (error) {
        if (!(error instanceof StillWaiting)) throw error;
        isOverdue = true;
        throw new StillWaiting(error.message, await lastWords());
      }
    },
    end({ revision, software, package: from, isJoined }, tools) {
      const startMs = performance.now() - began;
      hasFailed = false;
      isOverdue = false;
      const pid = current?.pid;
      current = undefined;
      const known = { ...(from && { package: from }), ...(isJoined && { isJoined }) };
      const ready = { startMs, pid, revision, software, tools, ...known };
      observer.report({ is: 'ready', at: Date.now(), server: server(), ...ready });
    },
    async endWith(error, isGivenUp) {
      hasFailed = true;
      const failure = await explained(error);
      const facts = failureFacts(failure);
      const kind = isGivenUp ? 'cancelled' : facts.kind;
      observer.report({ is: 'failed', at: Date.now(), server: server(), ...facts, kind });
      return failure;
    },
  };
}

export function failureFacts(failure: unknown): ServerFailure {
  const kind = failure instanceof DownstreamFailure ? failure.kind : 'unreachable';
  return { kind, reason: shorten(printableLine(messageOf(failure)), longestReason) };
}
