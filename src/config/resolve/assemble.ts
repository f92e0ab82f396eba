import path from 'node:path';
import { builtInSettings } from '../../limits.js';
import type { Config, ServerConfig, ToolboxConfig } from '../config.js';
import type { ConfigFile } from '../schema/schema.js';
import { createLookup } from '../values/expand-env.js';
import { createReferencedFiles, type FileGuard, type FilesRead } from '../values/referenced-files.js';
import type { UserFacts } from '../values/user.js';
import { cacheKeyOf, fingerprintOf } from './entry-identity.js';
import type { EntryPlaces } from './entry-place.js';
import type { EnvFileKey, OwnDirectories, Surroundings } from './entry-variables.js';
import { resolveServer } from './resolve-server.js';

export interface ParseOptions {
  /** The path of the file, for messages and relative paths. */
  readonly path: string;
  /** It was named by a relative path. */
  readonly isRelative?: true | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The directory of the workbench. */
  readonly cwd: string;
  readonly home: string;
  /** Whom its servers work for; undefined for the user of this computer. */
  readonly user?: UserFacts | undefined;
  /** Where they do, if that is not `cwd` with `home`: files that the configuration names are the same for all users. */
  readonly userPlace?: OwnDirectories | undefined;
  /** What others have read of the files that it names. */
  readonly read?: FilesRead | undefined;
  /** Of the files that it names. */
  readonly guard?: FileGuard | undefined;
}

/** Turns a validated file in our own form into a configuration. `places`: where servers stand that were written otherwise. */
export function assemble(
  file: ConfigFile,
  warnings: readonly string[],
  options: ParseOptions,
  places: EntryPlaces = new Map(),
): Config {
  // An env file of many servers gives its warnings once.
  const all = new Set(warnings);
  const warn = (message: string) => void all.add(message);
  const files = new Set<string>();
  const directory = path.dirname(options.path);
  const own = { cwd: options.cwd, home: options.home };
  const around: Surroundings = {
    file: options.path,
    namedFile: options.isRelative ? undefined : options.path,
    directory,
    ...(options.userPlace ?? own),
    own,
    user: options.user,
    lookup: createLookup(options.env),
    files: createReferencedFiles(directory, options.home, warn, options.guard, options.read),
    defaults: file.defaults ?? {},
    runnerRefreshMs: file.runnerRefreshMs ?? builtInSettings.runnerRefreshMs,
    envFiles: envFileAt(file.envFile, ['envFile']),
    warn,
    willRead: (read) => void files.add(read),
  };
  return {
    source: { kind: 'file', path: options.path },
    toolboxes: resolveToolboxes(file, around, options.path, places),
    openTimeoutMs: file.openTimeoutMs ?? builtInSettings.openTimeoutMs,
    openBudgetChars: file.openBudgetChars,
    shared: file.shared ?? true,
    warnings: [...all],
    files: [...files],
  };
}

function resolveToolboxes(
  file: ConfigFile,
  around: Surroundings,
  configFile: string,
  places: EntryPlaces,
): ReadonlyMap<string, ToolboxConfig> {
  const toolboxes = new Map<string, ToolboxConfig>();
  for (const [toolbox, { description, mcpServers, envFile }] of file.toolboxes) {
    const envFiles = [...around.envFiles, ...envFileAt(envFile, ['toolboxes', toolbox, 'envFile'])];
    const servers = Array.from(mcpServers, ([name, entry]): [string, ServerConfig] => {
      const server = resolveServer({ toolbox, name }, entry, { ...around, envFiles }, places.get(entry));
      return [name, { ...server, fingerprint: fingerprintOf(server), cacheKey: cacheKeyOf(configFile, server, entry) }];
    });
    toolboxes.set(toolbox, { name: toolbox, description, servers: new Map(servers) });
  }
  return toolboxes;
}

function envFileAt(written: string | undefined, at: readonly string[]): EnvFileKey[] {
  return written === undefined ? [] : [{ written, at }];
}
