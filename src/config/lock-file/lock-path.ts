import path from 'node:path';
import type { Computer } from '../../platform/computer.js';
import { sha256 } from '../../platform/crypto.js';
import { stateDirectoryOf } from '../../platform/directories.js';

/** Where the lock of a configuration file is. */
export interface LockPaths {
  /** `workbench-config.lock.json` for `workbench-config.json`, so that it can be committed with it. */
  readonly beside: string;
  /** In the user's state, for what cannot be written beside the configuration. */
  readonly own: string;
}

export function lockPathsOf(configFile: string, computer: Pick<Computer, 'env' | 'platform' | 'home'>): LockPaths {
  const { dir, name } = path.parse(configFile);
  const folder = path.join(stateDirectoryOf(computer), 'locks');
  return { beside: path.join(dir, `${name}.lock.json`), own: path.join(folder, `${sha256(configFile)}.json`) };
}
