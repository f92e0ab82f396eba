import { fileURLToPath } from 'node:url';
import type { Config } from '../../config/config.js';
import { type FoundFile, readConfigFile, readLocalFile } from '../../config/files/config-file.js';
import type { Overview } from '../../config/overview.js';
import { overviewOf } from '../../config/overview.js';
import { embeddedConfig } from '../../config/read/embedded.js';
import { quickFile } from '../../config/read/quick.js';
import type { assemble } from '../../config/resolve/assemble.js';
import type { Computer } from '../../platform/computer.js';
import { loadPart } from '../../platform/load-part.js';
import type { Log } from '../../platform/log.js';

/** A configuration whose servers are not resolved yet. */
export interface Configuration {
  readonly overview: Overview;
  /** The text of its file; undefined for the embedded one. */
  readonly text: string | undefined;
  /** Whether it lets sessions share servers. */
  readonly shared: boolean;
  /** The other files that were read for it so far. */
  files(): readonly string[];
  /** Whether resolving its servers may log warnings. */
  readonly mayWarn: boolean;
  /** Resolves its servers and logs its warnings, once. `assembled` avoids loading the function twice. */
  load(assembled?: typeof assemble): Promise<Config>;
}

/** Finds and reads the configuration, or falls back to the embedded one. Servers are resolved when they are needed. */
export async function findConfiguration(
  path: string | undefined,
  computer: Computer,
  log: Log,
): Promise<Configuration> {
  const { file, notice } = await findFile(path, computer, (message) => log.warn(message));
  if (file === undefined) {
    // Next to this file in the bundle.
    const script = fileURLToPath(new URL('./getting-started.js', import.meta.url));
    return loaded(embeddedConfig(script, process.execPath), undefined, notice);
  }
  const options = { ...computer, path: file.path };
  const quick = quickFile(file.text);
  if (quick === undefined) {
    const { parseConfig } = await loadPart(() => import('../../config/read/parse.js'));
    return loaded(logged(parseConfig(file.text, options), log), file.text, notice);
  }
  let config: Config | undefined;
  return {
    overview: { configFile: file.path, toolboxes: quick.toolboxes, notice },
    text: file.text,
    shared: quick.file.shared ?? true,
    files: () => config?.files ?? [],
    // A file that it names may be unreadable, or readable by others.
    mayWarn: /"envFile"|\{(?:file|secret):/.test(file.text),
    async load(assembled) {
      if (config !== undefined) return config;
      const make = assembled ?? (await loadPart(() => import('../../config/resolve/assemble.js'))).assemble;
      config ??= logged(make(quick.file, [], options), log);
      return config;
    },
  };
}

/**
 * The configuration file in use, if it can be used; `notice`: why the one in the working directory is not. Few directories
 * have one, so the checks are a part.
 */
export async function findFile(
  path: string | undefined,
  computer: Computer,
  warn: (message: string) => void,
): Promise<{ readonly file: FoundFile | undefined; readonly notice: string | undefined }> {
  const search = { ...computer, ...(path !== undefined && { path }) };
  const local = readLocalFile(search);
  const verdict = local && (await loadVetting()).judgeLocalFile(local, search, warn);
  const found = (verdict?.isTrusted ? local?.found : undefined) ?? readConfigFile(search);
  const isClear = found === undefined || (!('fault' in found) && found.suspects.length === 0);
  return { file: isClear ? found : (await loadVetting()).usableFile(found, warn), notice: verdict?.notice };
}

function loadVetting() {
  return loadPart(() => import('../../config/trust/vetting.js'));
}

function loaded(config: Config, text: string | undefined, notice: string | undefined): Configuration {
  const overview = { ...overviewOf(config), notice };
  return { overview, text, shared: config.shared, files: () => config.files, mayWarn: false, load: async () => config };
}

function logged(config: Config, log: Log): Config {
  for (const warning of config.warnings) log.warn(warning);
  return config;
}
