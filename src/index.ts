import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Config } from './config/config.js';
import { embeddedConfig } from './config/embedded.js';
import { loadConfigFile } from './config/load.js';
import { createConnector } from './downstream/connect.js';
import { type Log, silentLog } from './platform/log.js';
import { createWorkbench as assembleWorkbench, type Workbench } from './workbench/workbench.js';

export type { Config, ServerConfig, ServerLimits, ServerTarget, ToolboxConfig } from './config/config.js';
export type * from './config/config-file.generated.js';
export { type ErrorCode, type Place, WorkbenchError } from './contract/errors.js';
export {
  type CallToolResult,
  type OpenToolboxInput,
  OpenToolboxInputSchema,
  type OpenToolboxResult,
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
export type { Agent, CallOptions, Continuation, Progress, Question } from './workbench/ports/downstream.js';
export type { OpenOptions, OpenProgress, Overview, ToolboxOverview } from './workbench/toolbox.js';
export type { Workbench } from './workbench/workbench.js';

export interface LoadConfigOptions {
  /** The file to read; without it the usual places are looked at. */
  readonly path?: string;
  /** Where `${VAR}` is looked up; the environment of this process by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where `./workbench-config.json` is looked for; the current directory by default. */
  readonly cwd?: string;
}

/** Reads the configuration as the command does. Starts nothing. Throws a `WorkbenchError` that names every fault. */
export function loadConfig(options: LoadConfigOptions = {}): Config {
  const place = { env: process.env, cwd: process.cwd(), platform: process.platform, home: homedir() };
  const script = fileURLToPath(new URL('./getting-started.js', import.meta.url));
  return loadConfigFile({ ...place, ...options }) ?? embeddedConfig(script, process.execPath);
}

/** A workbench to embed in another program. Starts nothing until a toolbox is opened or a tool is used. */
export function createWorkbench(config: Config, log: Log = silentLog): Workbench {
  const world = { env: process.env, cwd: process.cwd(), platform: process.platform };
  return assembleWorkbench(config, createConnector(world, log).connect, log);
}
