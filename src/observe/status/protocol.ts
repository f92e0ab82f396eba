import { wireNumber } from '../../platform/sockets/wire-number.js';

/** A line of a client: the first and only one that is read. */
export const longestAskBytes = 1_024;
/** A client that has not asked by then is disconnected. */
export const askTimeoutMs = 1_000;
/** Clients at the same time; further ones are disconnected at once. */
export const maxClients = 32;
/** A client that does not read what it subscribed to is disconnected. */
export const maxClientBacklogBytes = 1_048_576;
/** Events are sent together: a system call for each would cost a session more than all the rest. */
export const publishEveryMs = 100;
/** How often watchers get the running calls. A call that ends earlier is not reported as running. */
export const runningEveryMs = 1_000;
/** Calls, and changes of servers and sessions, that a process remembers. */
export const maxPastCalls = 2_000;
export const maxPastChanges = 1_000;
/** A client reads no longer answer. */
export const longestAnswerBytes = 4_194_304;

/** What one process serves. */
export interface ProcessStatus {
  readonly pid: number;
  /** Of the workbench. */
  readonly version: string;
  readonly cwd: string;
  readonly sessions: readonly SessionStatus[];
  /** If it is a host, which runs the servers of many sessions. */
  readonly host?: HostStatus | undefined;
  /** If it serves agents over HTTP. */
  readonly service?: ServiceStatus | undefined;
}

export interface ServiceStatus {
  /** As clients see it. */
  readonly url: string;
  /** The path of the configuration file; null for the embedded one. */
  readonly config: string | null;
  readonly since: number;
  readonly processes: readonly ServerProcess[];
}

export interface HostStatus {
  /** Given with `--host-name`; undefined for the common one. */
  readonly name?: string | undefined;
  readonly since: number;
  readonly processes: readonly ServerProcess[];
}

/** A process of a server, and the ids of the sessions that use it. */
export interface ServerProcess {
  readonly toolbox: string;
  readonly server: string;
  readonly pid?: number | undefined;
  readonly log?: string | undefined;
  readonly sessions: readonly string[];
  /** Why no other session may use it. */
  readonly reason?: string | undefined;
  /** In what it differs from the first process with the same names that sessions share: names of settings and variables. */
  readonly differsIn?: readonly string[] | undefined;
}

export interface SessionStatus {
  readonly id: string;
  /** As reported by the client. */
  readonly client: { readonly name: string; readonly version: string } | null;
  /** The path of the configuration file; null for the embedded one. */
  readonly config: string | null;
  /** Times are in ms since 1970. */
  readonly since: number;
  /** Of a session in a host: its working directory, and the process that its client has started. */
  readonly cwd?: string | undefined;
  readonly front?: number | undefined;
  /** Why it is not served by a host, if it tried. */
  readonly why?: string | undefined;
  /** It tried to use a host; running without one is no choice of the user. */
  readonly wantedHost?: boolean | undefined;
  /** Of a session over HTTP: the first digits of the key of its user; undefined for the user of this computer. */
  readonly user?: string | undefined;
  /** The servers that were started in this session. */
  readonly servers: readonly ServerStatus[];
  /** From old to new. */
  readonly calls: readonly CallStatus[];
}

/** A call that runs now. */
export interface CallStatus {
  /** Unique on this computer: the process that runs it, and its number there. */
  readonly id: string;
  readonly toolbox: string;
  readonly server: string;
  readonly tool: string;
  /** The name of the client. */
  readonly client?: string | undefined;
  readonly since: number;
  /** What its server reported last; no configured secret is in it. */
  readonly progress?: string | undefined;
}

export interface ServerStatus {
  readonly toolbox: string;
  readonly server: string;
  /** `failed`: its last start failed, or its connection broke. `stopped`: the session is over or it was removed. */
  readonly state: 'starting' | 'awake' | 'asleep' | 'failed' | 'stopped';
  /** The time of this state. */
  readonly since: number;
  /** Calls that ended, and those of them that failed or whose tool reported an error. */
  readonly calls: number;
  readonly errors: number;
  /** Of a server that is awake. */
  readonly pid?: number;
  readonly startMs?: number;
  readonly revision?: string;
  readonly software?: string;
  readonly tools?: number;
  /** Of one that failed; no configured secret is in it. */
  readonly kind?: string;
  readonly reason?: string;
}

/** What a client that watches is sent after the status. */
export type StatusEvent =
  | { readonly is: 'session'; readonly session: SessionStatus }
  | { readonly is: 'closed'; readonly session: string; readonly config?: string | null }
  /** The calls of a session that have run for a second or longer. */
  | { readonly is: 'running'; readonly session: string; readonly calls: readonly CallStatus[] }
  | { readonly is: 'server'; readonly session: string; readonly server: ServerStatus }
  /** The agent got so many characters of the result of a call whose end was reported before, not all of it. */
  | { readonly is: 'shown'; readonly session: string; readonly call: number; readonly chars: number }
  | {
      readonly is: 'opened' | 'called' | 'refused';
      readonly session: string;
      readonly at: number;
      readonly toolbox: string;
      readonly server?: string | undefined;
      readonly tool?: string | undefined;
      readonly ms?: number;
      readonly outcome?: string;
      readonly code?: string | undefined;
      /** Of a call that did not succeed: the first line of the error; no configured secret is in it. */
      readonly reason?: string | undefined;
      /** The name of the client. */
      readonly client?: string | undefined;
      /** The bytes of the request and of the response of a call, as far as they were measured. */
      readonly sent?: number | undefined;
      readonly received?: number | undefined;
      /** Of a call: the number in its id. */
      readonly call?: number | undefined;
      /** Of a past call whose result was not sent as it came: the characters that the agent got. */
      readonly shown?: number | undefined;
    };

export type StatusMessage =
  | { readonly status: ProcessStatus }
  | { readonly cancelled: boolean }
  | { readonly history: readonly StatusEvent[] }
  | { readonly event: StatusEvent }
  | { readonly error: { readonly code: string; readonly message: string } };

export function lineOf(message: StatusMessage): string {
  return `${JSON.stringify({ workbench: wireNumber, ...message })}\n`;
}
