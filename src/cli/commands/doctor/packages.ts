import type { ServerTarget } from '../../../config/config.js';
import { runnersIn } from '../../../downstream/stdio/runners/words.js';

/** A runner and its package come early; arguments can be as long as a file. */
const mostWords = 30;
const longestWord = 300;

/** The packages that a server is started from by a runner such as `npx`; undefined if it is not. */
export function packagesOf(target: ServerTarget): readonly string[] | undefined {
  if (target.kind !== 'stdio') return undefined;
  const words = [target.command, ...target.args].slice(0, mostWords).filter((word) => word.length <= longestWord);
  const [command = '', ...args] = words;
  if (/(?:^|[\\/])uvx(?:\.exe)?$/.test(command)) return args.filter((word) => !word.startsWith('-')).slice(0, 1);
  const runners = runnersIn(words).map((runner) => runner.specs);
  return runners.length === 0 ? undefined : runners.flat();
}
