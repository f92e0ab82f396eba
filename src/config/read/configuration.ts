import { join } from 'node:path';
import type { Computer } from '../../platform/computer.js';
import { loadPart } from '../../platform/load-part.js';
import type { Log } from '../../platform/log.js';
import type { Config, HeldServers } from '../config.js';
import type { VouchedFile } from '../files/vouched-file.js';
import { type Overview, overviewOf, type ToolboxOverview } from '../overview.js';
import type { assemble, ParseOptions } from '../resolve/assemble.js';
import type { EntryPlaces } from '../resolve/entry-place.js';
import type { ConfigFile } from '../schema/schema.js';
import type { FileGuard, FilesRead } from '../values/referenced-files.js';
import type { UserFacts } from '../values/user.js';
import { embeddedConfig } from './embedded.js';
import { findTrustedFile } from './find-file.js';
import { quickFile } from './quick.js';

/** The text of a configuration file; undefined in place of one: the embedded configuration. */
export interface FileText {
  readonly path: string;
  readonly text: string;
  /** It was named by a relative path. */
  readonly isRelative?: true;
  /** See `Config`. */
  readonly notice?: string;
  /** The files that it names, as they were trusted with it; only of a file that needed trust. */
  readonly vouched?: readonly VouchedFile[];
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
  /** The file has faults: this is served in place of what it says. */
  readonly fault?: FileFault;
  /** Servers whose edit waits for a person. */
  readonly held?: HeldServers;
  /** The other files that were read for it so far. */
  files(): readonly string[];
  /** Resolves its servers and logs its warnings, once. `assembled` avoids loading the function twice. */
  load(assembled?: typeof assemble): Promise<Config>;
  /**
   * The same for a user of a service, or for a session without one: its servers work in the directories of that computer. Variables
   * and the files that it names stay those of the service.
   */
  forUser(user: UserFacts | undefined, its: Pick<Computer, 'cwd' | 'home'>): Configuration;
}

/** Why a configuration stands in for what its file says. */
export interface FileFault {
  readonly message: string;
  /** What is served until it is fixed: a sentence. */
  readonly meanwhile: string;
  /** Whether that is an earlier text of the file; otherwise there are no servers. */
  readonly hasEarlier: boolean;
  /** The same configuration, if another fault is found. */
  renew(message: string): Configuration;
  /** The fixed file, with what the faulty text denies, asks about and disables. */
  restrict(fixed: Configuration): Promise<Configuration>;
  /** Whether a text has the words of the faulty one in the same order: only its syntax differs. */
  hasWords(text: string): boolean;
}

/** Finds and reads the configuration, or falls back to the embedded one. Throws one error with all faults of the file. */
export async function findConfiguration(
  path: string | undefined,
  computer: Computer,
  log: Log,
): Promise<Configuration> {
  const { file, notice } = await findTrustedFile(path, computer, (message) => log.warn(message));
  const found = await readConfiguration(file, computer, log);
  for (const warning of found.warnings) log.warn(warning);
  return notice === undefined ? found : withNotice(found, notice);
}

function withNotice(found: Configuration, notice: string): Configuration {
  return {
    ...found,
    overview: { ...found.overview, notice },
    forUser: (user, its) => withNotice(found.forUser(user, its), notice),
  };
}

/** The one reader of configurations. The schema is loaded only for a text that is not plainly valid. */
export async function readConfiguration(
  source: FileText | undefined,
  computer: Omit<Computer, 'platform'>,
  log: Log,
): Promise<Configuration> {
  if (source === undefined) return embedded();
  const quick = quickFile(source.text);
  const read =
    quick === undefined
      ? (await loadPart(() => import('./parse.js'))).parseFile(source.text, source.path)
      : { file: quick, warnings: [], places: undefined };
  // A file that it names may be unreadable, or readable by others.
  const mayWarn = quick === undefined || /"envFile"|\{(?:file|secret):/.test(source.text);
  return configurationOf(source, { ...read, mayWarn }, computer, log);
}

interface ReadText {
  readonly file: ConfigFile;
  readonly warnings: readonly string[];
  readonly places: EntryPlaces | undefined;
  readonly mayWarn: boolean;
}

function configurationOf(
  source: FileText,
  { file, warnings, places, mayWarn }: ReadText,
  computer: Omit<Computer, 'platform'>,
  log: Log,
): Configuration {
  const { path, text, isRelative, notice, vouched } = source;
  // Of all users together.
  const files = new Set<string>();
  const read: FilesRead = new Map();
  const logged = new Set<string>(warnings);

  async function resolve(given: typeof assemble | undefined, ofUser: OfUser): Promise<Config> {
    const make = given ?? (await loadPart(() => import('../resolve/assemble.js'))).assemble;
    const guard = await guardOf(source, file, computer);
    const config = make(file, warnings, { ...computer, path, isRelative, guard, read, ...ofUser }, places);
    for (const one of config.files) files.add(one);
    for (const warning of config.warnings) if (!logged.has(warning)) log.warn(warning);
    for (const warning of config.warnings) logged.add(warning);
    return { ...config, notice };
  }

  // One for all users: what is made of it is made once.
  const overview = { configFile: path, toolboxes: namesIn(file) };
  const as = (ofUser: OfUser): Configuration => {
    let config: Config | undefined;
    return {
      source: {
        path,
        text,
        ...(isRelative && { isRelative }),
        ...(notice !== undefined && { notice }),
        ...(vouched && { vouched }),
      },
      overview,
      file,
      warnings,
      shared: file.shared ?? true,
      mayWarn,
      files: () => [...files],
      async load(assembled) {
        if (config !== undefined) return config;
        const made = await resolve(assembled, ofUser);
        config ??= made;
        return config;
      },
      forUser: (user, { cwd, home }) => as({ user, userPlace: { cwd, home } }),
    };
  };
  return as({});
}

type OfUser = Pick<ParseOptions, 'user' | 'userPlace'>;

/** Undefined where no file that it names can be a stranger's. */
export async function guardOf(
  { path, text, vouched }: FileText,
  file: ConfigFile,
  computer: Omit<Computer, 'platform'>,
): Promise<FileGuard | undefined> {
  if (vouched === undefined && !text.includes('"envFile"')) return undefined;
  const { createFileGuard } = await loadPart(() => import('../trust/vetting.js'));
  return createFileGuard(file, { ...computer, platform: process.platform, path }, vouched);
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
    forUser: embedded,
  };
}
