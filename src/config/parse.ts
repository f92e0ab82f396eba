import path from 'node:path';
import { WorkbenchError } from '../errors.js';
import type { Config, ToolboxConfig } from './config.js';
import { createLookup } from './expand-env.js';
import { type Findings, formatNotices } from './notice.js';
import { resolveServer, type Surroundings } from './resolve-server.js';
import { builtInSettings, type ConfigFile, configFileSchema } from './schema.js';
import { parseText } from './syntax.js';
import { validate } from './validate.js';

export interface ParseOptions {
  /** Where the text comes from, for messages and relative paths. */
  readonly path: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** The text of a configuration file becomes a configuration, or one error with all its faults. */
export function parseConfig(text: string, options: ParseOptions): Config {
  const source = text.replace(/^\uFEFF/, '');
  const { tree, faults } = parseText(source);
  const findings: Findings = { faults, warnings: [] };
  const file = tree && validate(configFileSchema, tree, findings);
  const warnings = formatNotices(findings.warnings, options.path, source);
  if (file === undefined || faults.length > 0) {
    // Warnings go along: a misspelt key is often why another one is missing.
    const others = tree === undefined ? ['What else may be wrong shows once this is mended.'] : warnings;
    throw invalid(options.path, formatNotices(faults, options.path, source), others);
  }
  const around: Surroundings = {
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
    openBudgetChars: file.openBudgetChars ?? builtInSettings.openBudgetChars,
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

const mostLines = 200;

function invalid(file: string, faults: readonly string[], others: readonly string[]): WorkbenchError {
  const count = faults.length === 1 ? '1 fault' : `${faults.length} faults`;
  const lines = [`The configuration file ${file} is not valid (${count}):`, ...faults.slice(0, mostLines)];
  if (faults.length > mostLines) lines.push(`… and ${faults.length - mostLines} more.`);
  return new WorkbenchError('CONFIG_INVALID', [...lines, ...others.slice(0, mostLines)].join('\n'));
}
