import type { ToolboxConfig } from '../../config/config.js';
import type { CancelSignal } from '../../jsonrpc/cancellation.js';
import type { Agent } from '../ports/agent.js';
import type { Supervisor } from './supervised-server.js';

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
