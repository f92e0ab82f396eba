import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { isOpenToOthers } from '../../../../config/files/text-file.js';
import { realPathOf } from '../../../../config/trust/trust-store.js';

/** Throws if package runners that start in a directory would use packages that another user has put above it, e.g. in `/tmp`. */
export function requireNoForeignPackages(directory: string): void {
  const exposed = ancestorsOf(realPathOf(directory)).find(
    (one) => existsSync(path.join(one, 'node_modules')) && isOpenToOthers(statSync(one)),
  );
  if (exposed === undefined) return;
  const modules = path.join(exposed, 'node_modules');
  throw new Error(`${modules} may be somebody else's, because others can write to ${exposed}; remove it`);
}

/** A directory and those above it, from below. */
export function ancestorsOf(directory: string): string[] {
  const parent = path.dirname(directory);
  return parent === directory ? [directory] : [directory, ...ancestorsOf(parent)];
}
