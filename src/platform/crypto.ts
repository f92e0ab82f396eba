import type * as NodeCrypto from 'node:crypto';

/** Node's crypto module, loaded on first use: loading it would slow the start. */
export function crypto(): typeof NodeCrypto {
  return process.getBuiltinModule('node:crypto');
}

export function sha256(text: string): string {
  return crypto().hash('sha256', text);
}
