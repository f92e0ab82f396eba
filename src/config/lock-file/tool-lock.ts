import type { PackageVersion } from '../../contract/package-version.js';
import type { Tool } from '../../contract/types.js';
import type { JsonObject } from '../../jsonrpc/json.js';
import type { ServerConfig } from '../config.js';

/** A server, by its names in the configuration. */
export interface ServerNames {
  readonly toolbox: string;
  readonly server: string;
}

/** What is locked of a tool, as it was approved. */
export interface ApprovedTool {
  readonly copy: JsonObject;
  /** The digest of the copy, if it is known. */
  readonly sha256?: string;
}

/** What the user has approved of a server. Of a tool there may be several copies: any of them is approved. */
export interface Approved {
  readonly tools: ReadonlyMap<string, readonly ApprovedTool[]>;
  /** Empty if it had no instructions. */
  readonly instructions: readonly string[];
  /** The package it was started from, if npm resolved it. */
  readonly package?: PackageVersion | undefined;
}

/** What a server listed when it was seen for the first time. */
export interface FirstSight extends ServerNames {
  readonly tools: readonly Tool[];
  readonly instructions: string | undefined;
  readonly package?: PackageVersion | undefined;
}

/** The lock of one configuration file: what its servers listed when they were approved, or seen for the first time. */
export interface ToolLock {
  /** Its file, for messages. */
  readonly file: string;
  /** For printed commands: how they find the configuration. */
  readonly configOptions: readonly string[];
  /** Changes whenever what is approved changes. */
  readonly revision: number;
  /** Why the file cannot be used; its last good content stays in force. Undefined if it can, or if there is none. */
  readonly problem: string | undefined;
  /** Reads the file if it has changed since the last time, within a limit. Never fails. */
  refresh(): Promise<void>;
  /** Resolves when the file has been read once, within a limit. Never fails. */
  ready(): Promise<void>;
  /** Undefined if the server is not in the lock. */
  approved(server: ServerNames): Approved | undefined;
  /** Approves what is seen of a server that is not in the lock; stored later. */
  add(first: FirstSight): void;
}

/** The locks of this computer. */
export interface ToolLocks {
  of(configFile: string): ToolLock;
  /** Resolves when everything that was added is stored, or cannot be. */
  flush(): Promise<void>;
}

/**
 * How a tool differs from what is approved. `unverified`: there is a lock that cannot be used, so nothing is known to be
 * approved.
 */
export type Difference = 'changed' | 'new' | 'unverified';

/** What the lock says about one server. */
export interface ServerLock {
  /** Changes whenever the answers below may. */
  readonly revision: number;
  /** Whether only what is approved may be shown and called. */
  isEnforced(mode: ServerConfig['lock'] | undefined): boolean;
  /** Undefined if it does not differ. */
  differenceOf(tool: Tool): Difference | undefined;
  isApproved(instructions: string): boolean;
}
