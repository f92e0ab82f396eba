import type * as NodeCrypto from 'node:crypto';
import { createRequire } from 'node:module';
import { isRecord } from '../jsonrpc/json.js';

/** Node's own, loaded when it is first used: that takes longer than anything it is used for at the start. */
export function crypto(): typeof NodeCrypto {
  loaded ??= load();
  return loaded;
}

let loaded: typeof NodeCrypto | undefined;

function load(): typeof NodeCrypto {
  const module: unknown = createRequire(import.meta.url)('node:crypto');
  if (!isCrypto(module)) throw new Error('this build of Node.js is without node:crypto');
  return module;
}

function isCrypto(value: unknown): value is typeof NodeCrypto {
  return isRecord(value) && 'createHash' in value;
}

export function sha256(text: string): string {
  return crypto().createHash('sha256').update(text).digest('hex');
}
