import type { ToolboxConfig } from '../config/config.js';
import type { CancelSignal } from '../jsonrpc/cancellation.js';
import type { Agent } from './ports/agent.js';
import type { Supervisor } from './supervised-server.js';

export interface Overview {
  /** The file in use; undefined for the embedded default. */
  readonly configFile: string | undefined;
  readonly toolboxes: readonly ToolboxOverview[];
  /** A line of ours for the agent, on a file that is not used. */
  readonly notice?: string | undefined;
}

export interface ToolboxOverview {
  readonly name: string;
  readonly description: string;
  /** The enabled ones. */
  readonly servers: readonly string[];
}

export interface OpenOptions {
  readonly signal?: CancelSignal;
  /** The agent that opens the toolbox; servers started for it are offered its capabilities. */
  readonly agent?: Agent;
  /** Called each time another server is ready. */
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
