import { join } from 'node:path';
import type { Computer } from '../../platform/computer.js';
import { loadPart } from '../../platform/load-part.js';
import type { Log } from '../../platform/log.js';
import type { Config } from '../config.js';
import { type Overview, overviewOf, type ToolboxOverview } from '../overview.js';
import type { assemble } from '../resolve/assemble.js';
import type { ConfigFile } from '../schema/schema.js';
import { embeddedConfig } from './embedded.js';
import { findFile } from './find-file.js';
import { quickFile } from './quick.js';

/** The text of a configuration file; undefined in place of one: the embedded configuration. */
export interface FileText {
  readonly path: string;
  readonly text: string;
  /** It was named by a relative path. */
  readonly isRelative?: true;
}

/** A configuration whose servers are resolved when they are needed. */
export interface Configuration {
  /** What it was read from, with which another process can read it as well. */
  readonly source: FileText | undefined;
  readonly overview: Overview;
  /** As written, in our own form: no variable is expanded, and no other file is read. */
  readonly file: ConfigFile | undefined;
  /** About the text; each is a line. */
  readonly warnings: readonly string[];
  /** Whether it lets sessions share servers. */
  readonly shared: boolean;
  /** Whether resolving its servers may log warnings. */
  readonly mayWarn: boolean;
  /** The other files that were read for it so far. */
  files(): readonly string[];
  /** Resolves its servers and logs its warnings, once. `assembled` avoids loading the function twice. */
  load(assembled?: typeof assemble): Promise<Config>;
}

/** Finds and reads the configuration, or falls back to the embedded one. Throws one error with all faults of the file. */
export async function findConfiguration(
  path: string | undefined,
  computer: Computer,
  log: Log,
): Promise<Configuration> {
  const { file, notice } = await findFile(path, computer, (message) => log.warn(message));
  const found = await readConfiguration(file, computer, log);
  for (const warning of found.warnings) log.warn(warning);
  return notice === undefined ? found : { ...found, overview: { ...found.overview, notice } };
}

/** The one reader of configurations. The schema is loaded only for a text that is not plainly valid. */
export async function readConfiguration(
  source: FileText | undefined,
  computer: Omit<Computer, 'platform'>,
  log: Log,
): Promise<Configuration> {
  if (source === undefined) return embedded();
  const { path, text, isRelative } = source;
  const quick = quickFile(text);
  const { file, warnings, places } =
    quick === undefined
      ? (await loadPart(() => import('./parse.js'))).parseFile(text, path)
      : { file: quick, warnings: [], places: undefined };
  let config: Config | undefined;
  return {
    source: { path, text, ...(isRelative && { isRelative }) },
    overview: { configFile: path, toolboxes: namesIn(file) },
    file,
    warnings,
    shared: file.shared ?? true,
    // A file that it names may be unreadable, or readable by others.
    mayWarn: quick === undefined || /"envFile"|\{(?:file|secret):/.test(text),
    files: () => config?.files ?? [],
    async load(assembled) {
      if (config !== undefined) return config;
      const make = assembled ?? (await loadPart(() => import('../resolve/assemble.js'))).assemble;
      config ??= logged(make(file, warnings, { ...computer, path, isRelative }, places), warnings, log);
      return config;
    },
  };
}

function namesIn({ toolboxes }: ConfigFile): ToolboxOverview[] {
  return Array.from(toolboxes, ([name, { description, mcpServers }]) => ({
    name,
    description,
    servers: [...mcpServers].filter(([, { disabled = false }]) => !disabled).map(([server]) => server),
  }));
}

function embedded(): Configuration {
  // Next to this file in the bundle.
  const script = join(import.meta.dirname, 'getting-started.js');
  const config = embeddedConfig(script, process.execPath);
  return {
    source: undefined,
    overview: overviewOf(config),
    file: undefined,
    warnings: [],
    shared: config.shared,
    mayWarn: false,
    files: () => [],
    load: async () => config,
  };
}

/** `known`: these are about the text, and have been reported with it. */
function logged(config: Config, known: readonly string[], log: Log): Config {
  for (const warning of config.warnings) if (!known.includes(warning)) log.warn(warning);
  return config;
}
