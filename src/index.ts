import { join } from 'node:path';
import { startEngine } from './compose.js';
import type { Config } from './config/config.js';
import { embeddedConfig } from './config/read/embedded.js';
import { loadConfigFile } from './config/read/load.js';
import type { CallToolResult, ToolIdentifier } from './contract/types.js';
import type { JsonObject } from './jsonrpc/json.js';
import { thisComputer } from './platform/computer.js';
import { type Log, silentLog } from './platform/log.js';
import type { CallOptions } from './workbench/ports/downstream.js';
import type { Workbench as SessionWorkbench } from './workbench/workbench.js';

export type { Config, ServerConfig, ServerLimits, ServerTarget, ToolboxConfig } from './config/config.js';
export type { Overview, ToolboxOverview } from './config/overview.js';
export type * from './config/schema/config-file.generated.js';
export { type ErrorCode, type Place, WorkbenchError } from './contract/errors.js';
export {
  type CallToolResult,
  type OpenToolboxInput,
  OpenToolboxInputSchema,
  type OpenToolboxResult,
  type ResultOptions,
  type Schema,
  type SchemaError,
  type Tool,
  type ToolIdentifier,
  ToolIdentifierSchema,
  type ToolInfo,
  type UseToolInput,
  UseToolInputSchema,
  type WantedTool,
} from './contract/types.js';
export type { Log } from './platform/log.js';
export { selectFrom } from './results/select-from.js';
export type { Agent, ClientInfo, Question } from './workbench/ports/agent.js';
export type { CallOptions, Continuation, Progress } from './workbench/ports/downstream.js';
export type { OpenOptions, OpenProgress } from './workbench/servers/toolbox.js';

export interface LoadConfigOptions {
  /** The file to read; by default the usual locations are searched. */
  readonly path?: string;
  /** The variables for `${VAR}`; by default the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The directory of `./workbench-config.json`, which is read only if the user trusts it; by default the current directory. */
  readonly cwd?: string;
}

/** Reads the configuration as the command does. Starts nothing. Throws a `WorkbenchError` that lists every fault. */
export function loadConfig(options: LoadConfigOptions = {}): Config {
  const script = join(import.meta.dirname, 'getting-started.js');
  const { config, warnings } = loadConfigFile({ ...thisComputer(process.env), ...options });
  const found = config ?? embeddedConfig(script, process.execPath);
  return { ...found, warnings: [...warnings, ...found.warnings] };
}

/** A workbench embedded in another program. */
export interface Workbench extends Omit<SessionWorkbench, 'useTool' | 'inspect' | 'roundTrip' | 'assertUsable'> {
  /** Calls a tool of any configured server, in an opened toolbox or not. */
  useTool(identifier: ToolIdentifier, args?: JsonObject, options?: CallOptions): Promise<CallToolResult>;
}

/** Creates a workbench to embed in another program. Starts nothing until a toolbox is opened or a tool is used. */
export function createWorkbench(config: Config, log: Log = silentLog): Workbench {
  const engine = startEngine(thisComputer(process.env), log, { keepsFiles: false });
  const workbench = engine.createWorkbench(config);
  return {
    ...workbench,
    useTool: async (...call) => (await workbench.useTool(...call)).value(),
    close: async () => void (await engine.close()),
  };
}
