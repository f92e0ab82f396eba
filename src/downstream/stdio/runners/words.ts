/** A package runner in a command line, and what it is asked to run. */
export type Runner =
  | { readonly kind: 'packages'; readonly name: string; readonly specs: readonly string[] }
  | { readonly kind: 'module'; readonly name: string; readonly module: string };

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
 * The package runners in a command line: also behind `cmd /c`, `env` and the like, and in a script for `sh -c`. Rather too
 * many than too few: a word that only looks like a runner costs a few looks at files that do not exist.
 */
export function runnersIn(commandLine: readonly string[]): Runner[] {
  const words = commandLine.flatMap((word) => word.split(/[\s;&|()"']+/)).filter((word) => word !== '');
  return words.flatMap((word, index): Runner[] => {
    const name = programName(word);
    const rest = words.slice(index + 1);
    const module = moduleOf(name, rest);
    if (module !== undefined) return [{ kind: 'module', name, module }];
    const verbs = Object.hasOwn(packageRunners, name) ? packageRunners[name] : undefined;
    if (verbs === undefined) return [];
    const at = verbs.length === 0 ? 0 : rest.findIndex((one) => verbs.includes(one)) + 1;
    return verbs.length > 0 && at === 0 ? [] : [{ kind: 'packages', name, specs: specsIn(rest.slice(at)) }];
  });
}

export function programName(word: string): string {
  const [base = ''] = word.split(/[\\/]/).slice(-1);
  // `npx-cli.js` is what the program npx starts.
  return base.toLowerCase().replace(/(?:-cli)?(?:\.(?:exe|cmd|bat|ps1|[cm]?js))?$/, '');
}

function moduleOf(name: string, rest: readonly string[]): string | undefined {
  if (!/^(?:pythonw?|pypy|pyw?)[\d.]*$/.test(name)) return undefined;
  for (const [index, word] of rest.entries()) {
    // With `-I` and `-P` the working directory is not searched.
    if (/^-[a-zA-Z]*?[IP]/.test(word.replace(/[mcWX].*/, ''))) return undefined;
    // `-m MODULE`, `-mMODULE`, and after other flags in one word: `-um MODULE`. `-X` and `-W` take the rest as their value.
    const [, joined] = /^-[A-VY-Za-z]*?m(.*)$/.exec(word) ?? [];
    if (joined !== undefined && !word.startsWith('--')) return joined === '' ? rest[index + 1] : joined;
    // Everything after the name of a script belongs to the script; the value of an option is no option.
    if (!word.startsWith('-') && !/^-[WX]$/.test(rest[index - 1] ?? '')) return undefined;
  }
  return undefined;
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
