import type { WorkbenchEvent } from '../workbench/ports/observer.js';
import type { RunningCalls } from '../workbench/ports/running-calls.js';

/** Whose events they are. Every event goes to a sink together with its session, so that a call costs no copy of either. */
export interface ObservedSession {
  readonly id: string;
  /** The id of the person or service that it belongs to. */
  readonly principal: string;
  /** The path of its configuration when it began; undefined for the embedded one. */
  readonly config: string | undefined;
  readonly since: number;
  /** Its working directory and the process of its client, where they are not those of this process. */
  readonly cwd?: string | undefined;
  readonly front?: number | undefined;
  /** Why it is not served by a host, if it tried. */
  readonly why?: string | undefined;
  /** It tried to use a host; running without one is no choice of the user. */
  readonly wantedHost?: boolean | undefined;
  /** Its calls that run now. */
  readonly calls?: (() => RunningCalls) | undefined;
  /** For files about its servers; without it there are none. */
  readonly cacheDirectory?: string | undefined;
}

/** All that is reported about a session: its own begin, edits and end, and what its workbench reports. */
export type SessionEvent =
  | WorkbenchEvent
  | { readonly is: 'began' | 'closed'; readonly at: number }
  /** The result of a call was selected from, or cut for its client, which got so many characters. Follows the report of its end. */
  | { readonly is: 'shown'; readonly at: number; readonly call: number; readonly chars: number }
  /** From now on it serves another configuration; undefined: the embedded one. */
  | { readonly is: 'serves'; readonly at: number; readonly config: string | undefined };

/** Gets the events of all sessions of this process, in order. */
export interface Sink {
  /** Must return at once. With a promise, the next event waits until that is settled. */
  take(session: ObservedSession, event: SessionEvent): void | Promise<void>;
  /** The process is about to end: what others see of it is removed at once. Events may still follow. */
  close(): void;
  /** Resolves when all that was taken is written. */
  flush(): Promise<void>;
}
