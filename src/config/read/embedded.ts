import { builtInSettings } from '../../limits.js';
import type { Config, ServerConfig } from '../config.js';

/** The configuration used when no file is found: one built-in server that explains how to write one. */
export function embeddedConfig(serverScript: string, nodePath: string): Config {
  const { openTimeoutMs, openBudgetChars: _, ...limits } = builtInSettings;
  const toolbox = 'getting-started';
  const guide: ServerConfig = {
    toolbox,
    name: 'guide',
    target: { kind: 'stdio', command: nodePath, args: [serverScript], env: new Map(), cwd: undefined },
    toolFilters: ['*'],
    excludedTools: [],
    rules: [],
    lock: 'off',
    limits,
    roots: false,
    perSession: false,
    forEveryone: false,
    protocol: 'auto',
    secrets: [],
    disabled: false,
    // There is one embedded configuration, and it cannot be edited.
    fingerprint: 'embedded',
    cacheKey: 'embedded',
  };
  const description = 'How to set up MCP Workbench: explains the configuration file and checks one for errors';
  return {
    source: { kind: 'embedded' },
    toolboxes: new Map([[toolbox, { name: toolbox, description, servers: new Map([[guide.name, guide]]) }]]),
    openTimeoutMs,
    openBudgetChars: undefined,
    shared: true,
    warnings: [],
    files: [],
  };
}
