import type { Config } from './config.js';
import { readConfigFile } from './config-file.js';
import type { FindOptions } from './find.js';
import { parseConfig } from './parse.js';

export { parseConfig } from './parse.js';
export type LoadOptions = FindOptions;

/** Finds, reads and validates the configuration file. Undefined if no file was named and none was found. */
export function loadConfigFile(options: LoadOptions): Config | undefined {
  const file = readConfigFile(options);
  return file && parseConfig(file.text, { path: file.path, env: options.env, home: options.home });
}
