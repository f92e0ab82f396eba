import type * as NodeCrypto from 'node:crypto';
import { createRequire } from 'node:module';

/** Node's own, loaded when it is first used: that takes longer than anything it is used for at the start. */
export function crypto(): typeof NodeCrypto {
  const loaded: typeof NodeCrypto = createRequire(import.meta.url)('node:crypto');
  return loaded;
}

export function sha256(text: string): string {
  return crypto().createHash('sha256').update(text).digest('hex');
}
