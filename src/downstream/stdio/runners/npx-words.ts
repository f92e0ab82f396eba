import { programName } from './elsewhere/program-name.js';

/** An entry that asks npm for a package and runs a program of it. */
export interface NpxEntry {
  /** What runs npm: the words before its flags, e.g. `npx`, or `npm exec`. */
  readonly runner: readonly string[];
  /** As written, without the packages. */
  readonly flags: readonly string[];
  /** Those of `-p` and `--package`. */
  readonly packages: readonly string[];
  /** The first word that is no flag: a package, or with `packages` a program of one of them. */
  readonly wanted: string;
  /** Of the server. */
  readonly args: readonly string[];
}

/** Why an entry of npx cannot be resolved, as a phrase. */
export interface UnclearEntry {
  readonly why: string;
}

const switches = new Set(['-y', '--yes', '-q', '--quiet', '-s', '--silent']);
// What starts with a dot or a tilde, or ends like a packed package, is a file for npm.
const registrySpec = /^(?!.*\.(?:tgz|tar|tar\.gz)$)(?:@[\w-][\w.~-]*\/)?[\w-][\w.~-]*(?:@(?!\.)[^/:]*)?$/i;

/** How an entry asks npm, or undefined if it does not run npx, `npm exec` or `npm x`. */
export function readNpxEntry(command: string, args: readonly string[]): NpxEntry | UnclearEntry | undefined {
  const words = programName(command) === 'cmd' && /^\/c$/i.test(args[0] ?? '') ? args.slice(1) : [command, ...args];
  const [program = '', first, ...others] = words;
  const name = programName(program);
  if (name === 'npx') return read([program], words.slice(1), false);
  if (name === 'npm' && (first === 'exec' || first === 'x')) return read([program, first], others, true);
  return undefined;
}

export function isUnclear(entry: NpxEntry | UnclearEntry): entry is UnclearEntry {
  return 'why' in entry;
}

/** The name in a spec of the registry: `@scope/name` of `@scope/name@1.2`. */
export function nameInSpec(spec: string): string {
  const at = spec.indexOf('@', 1);
  return at === -1 ? spec : spec.slice(0, at);
}

/** What follows the name, or undefined: a version, a range or a tag. */
export function versionInSpec(spec: string): string | undefined {
  const at = spec.indexOf('@', 1);
  return at === -1 ? undefined : spec.slice(at + 1);
}

/** The package that the program is of, as far as the words say: the only or first one. */
export function specOf({ packages, wanted }: NpxEntry): string {
  return packages[0] ?? wanted;
}

/** The same entry, which asks for another version of its package. */
export function withSpec(entry: NpxEntry, spec: string): NpxEntry {
  if (entry.packages.length === 0) return { ...entry, wanted: spec };
  const name = nameInSpec(spec);
  return { ...entry, packages: entry.packages.map((one) => (nameInSpec(one) === name ? spec : one)) };
}

/** The same entry with the only version of its package that may be started. */
export function pinnedTo(
  entry: NpxEntry,
  pinned: { readonly name: string; readonly version: string } | undefined,
): NpxEntry {
  const specs = entry.packages.length === 0 ? [entry.wanted] : entry.packages;
  if (pinned === undefined || !specs.some((spec) => nameInSpec(spec) === pinned.name)) return entry;
  return withSpec(entry, `${pinned.name}@${pinned.version}`);
}

/** The arguments of npx, or of npm, without those of the server. */
export function askingWords({ runner, flags, packages, wanted }: NpxEntry, shell: string): string[] {
  const [, ...verb] = runner;
  return [...verb, `--script-shell=${shell}`, ...flags, ...packages.map((one) => `--package=${one}`), '--', wanted];
}

/** As the user can run it by hand. */
export function writtenWords({ runner, flags, packages, wanted }: NpxEntry): string[] {
  return [...runner, ...flags, ...packages.flatMap((one) => ['--package', one]), wanted];
}

/** `npm exec` takes flags that it knows also from behind the package, up to `--`. */
function read(runner: readonly string[], words: readonly string[], isNpm: boolean): NpxEntry | UnclearEntry {
  const flags: string[] = [];
  const packages: string[] = [];
  const positional: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (word === '--') {
      positional.push(...words.slice(index + 1));
      break;
    }
    const [, joined] = /^(?:-p|--package)=(.+)$/.exec(word) ?? [];
    if (joined !== undefined) packages.push(joined);
    else if (word === '-p' || word === '--package') {
      // `npm exec -p` means something else.
      if (isNpm && word === '-p') return { why: 'npm exec has no -p' };
      packages.push(words[++index] ?? '');
    } else if (switches.has(word)) flags.push(word);
    else if (word.startsWith('-')) return { why: `the meaning of ${word.replace(/=.*/, '')} is left to npm` };
    else if (isNpm) positional.push(word);
    else {
      positional.push(...words.slice(index));
      break;
    }
  }
  const [wanted, ...args] = positional;
  if (wanted === undefined) return { why: 'it names no package' };
  const strange = [...packages, wanted].find((one) => !registrySpec.test(one));
  if (strange !== undefined) return { why: 'it names a package that is not from a registry' };
  return { runner, flags, packages, wanted, args };
}
