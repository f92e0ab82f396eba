import { readFileSync, statSync } from 'node:fs';
import * as tls from 'node:tls';

const mostKept = 20;
/** By path and state of the file: reading all authorities of Node.js takes some tens of milliseconds. */
const kept = new Map<string, tls.SecureContext>();

/** TLS that also trusts the authorities of a file. As in Node.js, a file that cannot be used is ignored. */
export function secureContextWith(file: string | undefined): tls.SecureContext | undefined {
  if (file === undefined) return undefined;
  try {
    const { mtimeMs, size } = statSync(file);
    const key = JSON.stringify([file, mtimeMs, size]);
    const context = kept.get(key) ?? tls.createSecureContext({ ca: [...defaultAuthorities(), readFileSync(file)] });
    if (kept.size >= mostKept) kept.clear();
    kept.set(key, context);
    return context;
  } catch {
    return undefined;
  }
}

/** The ones that Node.js uses by itself. */
function defaultAuthorities(): readonly string[] {
  // Since Node.js 22.15: it also has those of the system where Node.js was built or started to use them.
  const getAuthorities: unknown = Reflect.get(tls, 'getCACertificates');
  if (typeof getAuthorities !== 'function') return tls.rootCertificates;
  const authorities: unknown = Reflect.apply(getAuthorities, undefined, ['default']);
  return Array.isArray(authorities) ? authorities : tls.rootCertificates;
}
