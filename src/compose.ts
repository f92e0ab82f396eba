import { join } from 'node:path';
import type { Config } from './config/config.js';
import { createConnector } from './downstream/connect.js';
import { createToolCacheFiles } from './downstream/tool-cache-files.js';
import type { Introduction, Session } from './front/lazy-session.js';
import { openSession } from './front/session.js';
import type { AgentWire } from './front/stdio-wire.js';
import { cacheDirectoryOf, logDirectoryOf } from './platform/directories.js';
import type { Log } from './platform/log.js';
import { createWorkbench } from './workbench/workbench.js';

export interface EngineOptions {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly platform: string;
  readonly home: string;
  readonly wire: AgentWire;
  readonly introduction: Introduction;
  readonly log: Log;
}

/** All that it takes to serve calls: loaded with the first of them. */
export interface Engine extends Session {
  /** Ends every server. Afterwards nothing that was started is left. */
  close(): Promise<void>;
}

export function startEngine({ config, env, cwd, platform, home, wire, introduction, log }: EngineOptions): Engine {
  const logDirectory = logDirectoryOf({ env, platform, home });
  const cacheDirectory = cacheDirectoryOf({ env, platform, home });
  const world = { env, cwd, platform, logDirectory, cacheDirectory };
  const cache = createToolCacheFiles(join(cacheDirectory, 'tools'));
  const connector = createConnector(world, log);
  const workbench = createWorkbench(config, connector.connect, log, cache);
  const session = openSession(workbench, wire, introduction, log);
  const close = async () => {
    await workbench.close();
    await connector.flush();
  };
  return { take: (message) => session.take(message), close };
}
