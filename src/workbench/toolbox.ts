import type { ToolboxConfig } from '../config/config.js';
import type { CancelSignal } from '../jsonrpc/cancellation.js';
import type { Agent } from './ports/agent.js';
import type { Supervisor } from './supervisor.js';

export interface Overview {
  /** The file in use; undefined for the embedded default. */
  readonly configFile: string | undefined;
  readonly toolboxes: readonly ToolboxOverview[];
}

export interface ToolboxOverview {
  readonly name: string;
  readonly description: string;
  /** Those that are not disabled. */
  readonly servers: readonly string[];
}

export interface OpenOptions {
  readonly signal?: CancelSignal;
  /** On whose behalf; servers that start now are offered what it can do. */
  readonly agent?: Agent;
  /** Told each time one more of the servers has answered. */
  readonly onProgress?: (progress: OpenProgress) => void;
}

export interface OpenProgress {
  readonly ready: number;
  readonly total: number;
  readonly message: string;
}

/** A toolbox with its servers, in the order of the configuration. */
export interface Toolbox {
  readonly config: ToolboxConfig;
  readonly servers: ReadonlyMap<string, Supervisor>;
}
