import type { ServerConfig } from '../../config/config.js';
import type { Tool } from '../../contract/types.js';

/** What a server reported about itself when it was last connected. */
export interface KnownTools {
  /** All of them, before any filter. */
  readonly tools: readonly Tool[];
  readonly instructions: string | undefined;
}

/** Remembers what servers offer, so that it can be listed without starting them. It may be out of date: the live list wins. */
export interface ToolCache {
  get(server: ServerConfig): Promise<KnownTools | undefined>;
  put(server: ServerConfig, known: KnownTools): void;
  /** Resolves when everything that was put is stored. */
  flush(): Promise<void>;
}
