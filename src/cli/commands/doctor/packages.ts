import type { ServerTarget } from '../../../config/config.js';
import { runnerAt } from '../../../downstream/stdio/runners/elsewhere/find-runner.js';
import { packagesIn } from '../../../downstream/stdio/runners/elsewhere/launch.js';
import { isUnclear, readNpxEntry } from '../../../downstream/stdio/runners/npx-words.js';

/** A runner and its package come early; arguments can be as long as a file. */
const mostWords = 30;
const longestWord = 300;

/** The packages that a server is started from by a runner such as `npx`, as far as they are certain; undefined if it is not. */
export function packagesOf(target: ServerTarget): readonly string[] | undefined {
  if (target.kind !== 'stdio') return undefined;
  const words = [target.command, ...target.args].slice(0, mostWords).filter((word) => word.length <= longestWord);
  // A runner can also be in a script for `sh -c`.
  const parts = words.flatMap((word) => word.split(/[\s;&|()"']+/)).filter((part) => part !== '');
  for (const index of parts.keys()) {
    const found = runnerAt(parts, index);
    if (found === undefined) continue;
    const entry = readNpxEntry(found.program, found.words);
    if (entry === undefined) return packagesIn(found);
    if (isUnclear(entry)) return [];
    return entry.packages.length > 0 ? entry.packages : [entry.wanted];
  }
  return undefined;
}
