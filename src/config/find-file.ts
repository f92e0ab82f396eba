import { type FoundFile, readConfigFile, readLocalFile } from './config-file.js';
import type { FindOptions } from './find.js';
import { judgeLocalFile, usableFile } from './vetting.js';

/** The configuration file to use, read and vetted; undefined if none was named and none was found. */
export function findFile(options: FindOptions, warn: (message: string) => void): FoundFile | undefined {
  const local = readLocalFile(options);
  const isTrusted = local !== undefined && judgeLocalFile(local, options, warn).isTrusted;
  const file = (isTrusted ? local.found : undefined) ?? readConfigFile(options);
  return file && usableFile(file, warn);
}
