import type * as NodeCrypto from 'node:crypto';

/** Node's own, loaded when it is first used: loading it takes longer than anything it is used for at start-up. */
export function crypto(): typeof NodeCrypto {
  return process.getBuiltinModule('node:crypto');
}

export function sha256(text: string): string {
  return crypto().createHash('sha256').update(text).digest('hex');
}
