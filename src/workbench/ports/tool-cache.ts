import type { ServerConfig } from '../../config/config.js';
import type { ServerLock } from '../../config/lock-file/tool-lock.js';
import type { PackageVersion } from '../../contract/package-version.js';
import type { Tool } from '../../contract/types.js';
import type { Omissions } from '../../results/omissions.js';

export interface ListedTools {
  /** All usable tools, unfiltered. */
  readonly tools: readonly Tool[];
  readonly omissions: Omissions;
  /** What was approved of them; undefined if they are not compared with that. */
  readonly lock?: ServerLock | undefined;
}

/** What a server reported when it was last connected. */
export interface KnownTools extends ListedTools {
  readonly instructions: string | undefined;
  /** The title and description that it gives itself. */
  readonly about?: string | undefined;
  /** The package it was started from, if npm resolved it. */
  readonly package?: PackageVersion | undefined;
}

/** A server, as far as its cached tools depend on it. */
export type CachedServer = Pick<ServerConfig, 'cacheKey'>;

/** Stores the tools of servers, so that they can be listed without starting them. Entries may be stale: the live list wins. */
export interface ToolCache {
  get(server: CachedServer): Promise<KnownTools | undefined>;
  put(server: CachedServer, known: KnownTools): void;
  /** Resolves when every `put` is stored. */
  flush(): Promise<void>;
}
