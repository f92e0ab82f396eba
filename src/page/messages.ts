import type { CallRow, RunningCall } from '../inspect/call-log.js';
import type { Life } from '../inspect/lives.js';
import type { StateName } from '../inspect/state-name.js';

/** What the page shows. Everything that servers wrote is text, and is shown as text. */

/** One line of the stream: the browser replaces what it had. */
export type LiveMessage =
  | { readonly is: 'board'; readonly board: Board }
  | { readonly is: 'tools'; readonly tools: readonly ToolRow[] }
  /** New ones, from old to new, and ones that have changed, with their ids; `isAll`: they replace those of before. */
  | { readonly is: 'calls'; readonly calls: readonly CallRow[]; readonly isAll: boolean };

export interface Board {
  /** Times are in ms since 1970. */
  readonly now: number;
  readonly version: string;
  /** The path of the configuration; null if there is none yet. */
  readonly config: string | null;
  /** Where the configuration would be written. */
  readonly expected: string;
  /** Commands to begin with, and what they do. */
  readonly begin: readonly { readonly command: string; readonly does: string }[];
  /** Each is a line: what is wrong with the configuration, or with a session. */
  readonly problems: readonly string[];
  /** What a model reads at the start of a session. */
  readonly startTokens: number;
  /** `client`: the name of the client; empty if it is not known. */
  readonly sessions: readonly SessionRow[];
  readonly toolboxes: readonly ToolboxRows[];
  /** Calls that run now, from old to new. */
  readonly running: readonly RunningCall[];
}

export interface ToolboxRows {
  readonly name: string;
  readonly description: string;
  readonly servers: readonly ServerRow[];
}

export interface SessionRow {
  readonly client: string;
  readonly pid: number;
  readonly since: number;
  /** Of a session over HTTP, if the service has users: the first digits of the key. */
  readonly user?: string | undefined;
}

export interface ServerRow {
  readonly toolbox: string;
  readonly server: string;
  readonly state: StateName;
  /** The time of this state. */
  readonly since?: number | undefined;
  /** The clients in whose sessions it is awake. */
  readonly clients: readonly string[];
  /** What it failed with; no configured secret is in it. */
  readonly reason?: string | undefined;
  /** The command that helps. */
  readonly next?: string | undefined;
  /** The known ones, and what a model reads of them. */
  readonly tools?: number | undefined;
  readonly tokens?: number | undefined;
  /** When they were listed. */
  readonly listedAt?: number | undefined;
  /** How many processes it has now, and the bytes they use together. */
  readonly processes: number;
  readonly memory?: number | undefined;
  /** The bytes of one process of it, when it was last awake. */
  readonly lastMemory?: number | undefined;
  readonly software?: string | undefined;
  /** The package that it is started from, its version, and when npm was asked for it. */
  readonly package?: { readonly text: string; readonly at: number | undefined } | undefined;
  readonly startMs?: number | undefined;
  /** How many of its tools are not as they were approved. */
  readonly changes?: { readonly changed: number; readonly added: number } | undefined;
  /** When its processes lived, in the last half hour. */
  readonly lives: readonly Life[];
}

export interface ToolRow {
  readonly toolbox: string;
  readonly server: string;
  readonly name: string;
  readonly about: string;
  readonly tokens: number;
  /** From its annotations, and from the rules of the user. */
  readonly marks: readonly Mark[];
}

export type Mark = 'asks' | 'read-only' | 'destructive' | 'idempotent' | 'open world';

/** What a server wrote last; undefined if there is no log. */
export interface LogTail {
  readonly lines: readonly string[] | null;
}

/** The answer of `open_toolbox`, to the letter, and the tools in it. */
export interface SearchAnswer {
  readonly text: string;
  readonly tokens: number;
  readonly isError: boolean;
  readonly hits: readonly SearchHit[];
}

export interface SearchHit {
  readonly toolbox: string;
  readonly server: string;
  readonly name: string;
  readonly about: string;
  /** The words of the query that it was found by, and where they occur; `as`: the synonym that occurs in their place. */
  readonly matches: readonly { readonly word: string; readonly in: string; readonly as?: string }[];
  /** Of this tool in the answer. */
  readonly tokens: number;
}

/** What is not as it was approved. */
export interface Approvals {
  /** Why the lock cannot be used. */
  readonly problem?: string | undefined;
  readonly servers: readonly Approval[];
}

export interface Approval {
  readonly toolbox: string;
  readonly server: string;
  /** When its tools were listed. */
  readonly listedAt: number | undefined;
  /** Whether what differs is blocked until it is approved. */
  readonly isStrict: boolean;
  readonly summary: string;
  /** The command that shows the same, and asks. */
  readonly command: string;
  readonly parts: readonly ChangedPart[];
  /** How many more there are. */
  readonly leftOut: number;
}

export interface ChangedPart {
  /** `~`: it changed. `+`: it is new. `-`: it is no longer listed. */
  readonly sign: '~' | '+' | '-';
  readonly title: string;
  readonly note?: string | undefined;
  /** Each begins with its sign: `-`, `+`, a space, or `…` between two places. */
  readonly lines: readonly string[];
}
