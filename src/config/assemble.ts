import path from 'node:path';
import { builtInSettings } from '../limits.js';
import type { Config, ServerConfig, ToolboxConfig } from './config.js';
import { cacheKeyOf, fingerprintOf } from './entry-identity.js';
import { createLookup } from './expand-env.js';
import { resolveServer, type Surroundings } from './resolve-server.js';
import type { ConfigFile } from './schema.js';

export interface ParseOptions {
  /** The path of the file, for messages and relative paths. */
  readonly path: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** Turns a validated file into a configuration. */
export function assemble(file: ConfigFile, warnings: string[], options: ParseOptions): Config {
  const files = new Set<string>();
  const around: Surroundings = {
    file: options.path,
    directory: path.dirname(options.path),
    home: options.home,
    lookup: createLookup(options.env),
    defaults: file.defaults ?? {},
    warn: (message) => warnings.push(message),
    willRead: (read) => void files.add(read),
  };
  return {
    source: { kind: 'file', path: options.path },
    toolboxes: resolveToolboxes(file, options.path, around),
    openTimeoutMs: file.openTimeoutMs ?? builtInSettings.openTimeoutMs,
    openBudgetChars: file.openBudgetChars,
    warnings,
    files: [...files],
  };
}

function resolveToolboxes(
  file: ConfigFile,
  configFile: string,
  around: Surroundings,
): ReadonlyMap<string, ToolboxConfig> {
  const toolboxes = new Map<string, ToolboxConfig>();
  for (const [toolbox, { description, mcpServers }] of file.toolboxes) {
    const servers = Array.from(mcpServers, ([name, entry]): [string, ServerConfig] => {
      const server = resolveServer({ toolbox, name }, entry, around);
      return [name, { ...server, fingerprint: fingerprintOf(server), cacheKey: cacheKeyOf(configFile, server, entry) }];
    });
    toolboxes.set(toolbox, { name: toolbox, description, servers: new Map(servers) });
  }
  return toolboxes;
}
