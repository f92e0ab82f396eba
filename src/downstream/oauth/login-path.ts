import path from 'node:path';
import type { RemoteTarget, ServerConfig } from '../../config/config.js';
import { realPathOf } from '../../config/trust/trust-store.js';
import { sha256 } from '../../platform/crypto.js';

/** A server as its login is found: the same entry in another file, or with another URL, has another login. */
export interface LoginKey {
  readonly config: string;
  readonly toolbox: string;
  readonly server: string;
  readonly url: string;
}

export function loginKeyOf({ file, toolbox, name }: ServerConfig, { url }: RemoteTarget): LoginKey {
  return { config: file === undefined ? '' : realPathOf(file), toolbox, server: name, url };
}

/** `directory`: that of the user's data. */
export function loginPath(directory: string, { config, toolbox, server, url }: LoginKey): string {
  return path.join(directory, 'logins', `${sha256(JSON.stringify([config, toolbox, server, url]))}.json`);
}
