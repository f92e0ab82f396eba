import path from 'node:path';
import { builtInSettings } from '../limits.js';
import type { Config, ToolboxConfig } from './config.js';
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
  const around: Surroundings = {
    file: options.path,
    directory: path.dirname(options.path),
    home: options.home,
    lookup: createLookup(options.env),
    defaults: file.defaults ?? {},
    warn: (message) => warnings.push(message),
  };
  return {
    source: { kind: 'file', path: options.path },
    toolboxes: resolveToolboxes(file, around),
    openTimeoutMs: file.openTimeoutMs ?? builtInSettings.openTimeoutMs,
    openBudgetChars: file.openBudgetChars,
    warnings,
  };
}

function resolveToolboxes(file: ConfigFile, around: Surroundings): ReadonlyMap<string, ToolboxConfig> {
  const toolboxes = new Map<string, ToolboxConfig>();
  for (const [toolbox, { description, mcpServers }] of file.toolboxes) {
    const servers = Array.from(
      mcpServers,
      ([name, entry]) => [name, resolveServer({ toolbox, name }, entry, around)] as const,
    );
    toolboxes.set(toolbox, { name: toolbox, description, servers: new Map(servers) });
  }
  return toolboxes;
}
