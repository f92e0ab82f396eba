import { programName } from './elsewhere/program-name.js';

/** A package runner in a command line, and what it is asked to run. */
export interface Runner {
  readonly name: string;
  readonly specs: readonly string[];
}

/** Words that make a program a package runner. Empty: always. */
const packageRunners: Readonly<Record<string, readonly string[]>> = {
  npx: [],
  bunx: [],
  pnpx: [],
  npm: ['exec', 'x'],
  bun: ['x'],
  pnpm: ['dlx', 'exec'],
  yarn: ['dlx', 'exec'],
};

/**
 * The package runners in a command line: also behind `cmd /c`, `env` and the like, and in a script for `sh -c`.
 */
export function runnersIn(commandLine: readonly string[]): Runner[] {
  const words = commandLine.flatMap((word) => word.split(/[\s;&|()"']+/)).filter((word) => word !== '');
  return words.flatMap((word, index): Runner[] => {
    const name = programName(word);
    const rest = words.slice(index + 1);
    const verbs = Object.hasOwn(packageRunners, name) ? packageRunners[name] : undefined;
    if (verbs === undefined) return [];
    const at = verbs.length === 0 ? 0 : rest.findIndex((one) => verbs.includes(one)) + 1;
    return verbs.length > 0 && at === 0 ? [] : [{ name, specs: specsIn(rest.slice(at)) }];
  });
}

/** Options that have no value. After any other one, the next word may be its value or the package. */
const flags = new Set([
  '-y',
  '--yes',
  '-q',
  '--quiet',
  '--silent',
  '-s',
  '--no',
  '--no-install',
  '--',
  '--bun',
  '--offline',
]);

function specsIn(words: readonly string[]): string[] {
  const specs: string[] = [];
  for (const [index, word] of words.entries()) {
    const [, joined] = /^(?:--package|-p)=(.+)$/.exec(word) ?? [];
    if (joined !== undefined) specs.push(joined);
    if (word.startsWith('-')) continue;
    specs.push(word);
    const before = words[index - 1];
    if (before === undefined || !before.startsWith('-') || before.includes('=') || flags.has(before)) break;
  }
  return specs;
}
