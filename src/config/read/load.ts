import type { Config } from '../config.js';
import { type FoundFile, readConfigFile, readLocalFile } from '../files/config-file.js';
import type { FindOptions } from '../files/find.js';
import { assemble } from '../resolve/assemble.js';
import type { ConfigFile } from '../schema/schema.js';
import {
  createFileGuard,
  judgeLocalFile,
  judgeNamedFiles,
  requireNamedFiles,
  requireTrust,
  usableFile,
} from '../trust/vetting.js';
import { parseFile } from './parse.js';

export { parseConfig } from './parse.js';
export type LoadOptions = FindOptions;

interface Loaded {
  /** Undefined if no file was named and none was found. */
  readonly config: Config | undefined;
  /** Why a file that was found is not used, and what else is wrong with the files. */
  readonly warnings: readonly string[];
}

/** Finds, reads and validates the configuration file. One in the working directory is used only if the user trusts it. */
export function loadConfigFile(options: LoadOptions): Loaded {
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const local = trustedLocalFile(options, warn);
  const file = local ?? readConfigFile(options);
  if (file === undefined) return { config: undefined, warnings };
  const found = usableFile(file, warn);
  const { path } = found;
  const parsed = parseFile(found.text, path);
  const vouched = local?.vouched ?? vouchedFor(found, parsed.file, options);
  const guard = createFileGuard(parsed.file, { ...options, path }, vouched);
  return { config: assemble(parsed.file, parsed.warnings, { ...options, path, guard }, parsed.places), warnings };
}

/** The caller has chosen the file of `path`, so it needs no trust; a relative path in the environment does. */
function vouchedFor(found: FoundFile, content: ConfigFile, options: LoadOptions): FoundFile['vouched'] {
  if (found.isRelative !== true || options.path !== undefined || options.env.CI) return undefined;
  const vouched = requireTrust(found, options);
  if (vouched !== undefined) requireNamedFiles({ ...found, vouched }, content, options);
  return vouched;
}

function trustedLocalFile(options: LoadOptions, warn: (message: string) => void): FoundFile | undefined {
  const local = readLocalFile(options);
  const { isTrusted, vouched } = local === undefined ? {} : judgeLocalFile(local, options, warn);
  if (isTrusted !== true || vouched === undefined || local?.found === undefined) return undefined;
  const found = { ...local.found, vouched };
  const content = parseFile(found.text, found.path).file;
  return judgeNamedFiles(found, content, options, warn).isTrusted ? found : undefined;
}
