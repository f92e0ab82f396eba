import path from 'node:path';
import type { FoundRunner } from './find-runner.js';
import {
  denoPreload,
  type LaunchPlace,
  launcherName,
  npmShell,
  packagedLauncher,
  pythonLauncher,
  shellLauncher,
  type Wanted,
} from './launcher.js';
import { absolutePath, type RunnerWords, readOptions, withKnownPaths } from './options.js';
import { type KnownRunner, knownRunners } from './runners.js';

/** How a package runner is started in a directory of ours. */
export interface Launch {
  readonly words: readonly string[];
  /** Files that must be in our directory, by their relative path. */
  readonly files: Readonly<Record<string, string>>;
  /** Whether the server runs in its own directory. */
  readonly isInDirectory: boolean;
}

/** What runners that look for a project above are to find in our directory. */
const project = { 'package.json': '{"private":true}\n' };

/** Words whose meaning is certain, or undefined. */
interface Understood extends RunnerWords {
  /** Options before the verb, and the verb. */
  readonly before: readonly string[];
  readonly verb: readonly string[];
}

export function launchRunner(found: FoundRunner, place: LaunchPlace): Launch {
  const { known, program: written, words } = inFull(found);
  const program = absolutePath(written, place.directory);
  const understood = understand(known, words, place.directory);
  const launch = understood && methods[known.method](known, understood, { ...place, directory: understood.directory });
  if (launch !== undefined) return { ...launch, words: [program, ...launch.words], isInDirectory: true };
  if (known.method === 'shell' && place.platform !== 'win32') return throughShell(program, words, place);
  return launchStray([written, ...words], place);
}

/** `pnpx` puts its verb before all of its words, but pnpm 9 reads the names of packages only before the verb. */
function inFull(found: FoundRunner): FoundRunner {
  const [name = '', verb = ''] = found.known.shortFor ?? [];
  const known = knownRunners[name];
  const program = found.program.replace(/pnp?x(?=(?:\.cmd|\.cjs)?$)/i, name);
  return known === undefined || program === found.program ? found : { known, program, words: [verb, ...found.words] };
}

/** The server runs in our directory as well, so the paths among its words are made absolute, too. */
export function launchStray(words: readonly string[], { directory }: LaunchPlace): Launch {
  return { words: withKnownPaths(words, directory), files: project, isInDirectory: false };
}

/** The packages that a runner installs, as far as its words are certain. */
export function packagesIn({ known, words }: FoundRunner): readonly string[] {
  const { packages = [], wanted } = understand(known, words, path.sep) ?? {};
  return wanted === undefined || packages.length > 0 ? packages : [wanted];
}

function understand(known: KnownRunner, words: readonly string[], start: string): Understood | undefined {
  if (known.verbs.some((verb) => verb.length === 0)) {
    const read = readOptions(words, known.options, start);
    return read && { ...read, before: [], verb: [] };
  }
  const first = readOptions(words, known.options, start);
  const verb = first && known.verbs.find((one) => one.every((word, at) => [first.wanted, ...first.args][at] === word));
  if (first === undefined || verb === undefined) return undefined;
  const read = readOptions(first.args.slice(verb.length - 1), known.options, first.directory);
  return (
    read && { ...read, packages: [...first.packages, ...read.packages], before: [...first.options, ...verb], verb }
  );
}

type Method = (known: KnownRunner, words: Understood, place: LaunchPlace) => Omit<Launch, 'isInDirectory'> | undefined;

const methods: Readonly<Record<KnownRunner['method'], Method>> = {
  none: () => undefined,
  shell: () => undefined,

  packages({ packageOption = '', takesFirst = false }, { before, verb, options, packages, wanted, args }, place) {
    const isProgram = packages.length > 0 || verb[0] === 'exec';
    const launcher = shellLauncher(isProgram ? { program: wanted } : packageOf(wanted, takesFirst), args, place);
    const named = isProgram ? packages : [wanted];
    // pnpm 9 reads them only before its verb.
    const words = [...named.map((one) => `${packageOption}=${one}`), ...before, ...options, ...launcher.words];
    return { words, files: { ...launcher.files, ...(verb[0] === 'exec' && project) } };
  },

  yarn(_, { before, verb, options, packages, wanted, args }, place) {
    // Other characters have a meaning in the address of a package.
    if (verb[0] !== 'dlx' || /[^\w ./'~+-]/.test(place.ours)) return undefined;
    const isProgram = packages.length > 0;
    const { words, files } = packagedLauncher(isProgram ? { program: wanted } : packageOf(wanted, false), args, place);
    const named = [...(isProgram ? packages : [wanted]), `${launcherName}@portal:${place.ours}/launcher`];
    return { words: [...before, ...options, ...named.flatMap((one) => ['-p', one]), ...words], files };
  },

  python({ packageOption = '' }, { before, options, packages, wanted, args }, { directory }) {
    const isScript = path.isAbsolute(wanted) || /^https?:|\.py$/.test(wanted);
    if (packages.length === 0 && isScript && packageOption === '--spec') return undefined;
    const [, name = ''] = /^([\w.-]+)(?=\s*(?:$|[@[=<>!~;]))/.exec(wanted) ?? [];
    const spec = packages.at(-1) ?? wanted;
    const launcher = ['python', '-I', '-S', '-c', pythonLauncher, directory, packages.length > 0 ? wanted : name];
    return { words: [...before, ...options, packageOption, spec, ...launcher, ...args], files: {} };
  },

  deno(_, { before, verb, options, wanted, args }, { directory, ours }) {
    if (verb[0] !== 'run') return undefined;
    const preload = `--preload=${path.join(ours, 'enter.mjs')}`;
    const words = [...before, ...options.map((option) => denoOption(option, directory)), preload, wanted, ...args];
    return { words, files: { 'enter.mjs': denoPreload(directory) } };
  },
};

/** Permissions are lists of paths. */
function denoOption(option: string, directory: string): string {
  const [, name, list] = /^(--(?:allow|deny)-(?:read|write)|-[RW]|--env-file)=(.*)$/s.exec(option) ?? [];
  if (name === undefined || list === undefined) return option;
  return `${name}=${list
    .split(',')
    .map((one) => path.resolve(directory, one))
    .join(',')}`;
}

function throughShell(program: string, words: readonly string[], { directory, ours }: LaunchPlace): Launch {
  const verb = words[0] === 'exec' || words[0] === 'x' ? words.slice(0, 1) : [];
  const rest = withAbsolutePaths(words.slice(verb.length), directory);
  return {
    words: [program, ...verb, `--script-shell=${path.join(ours, 'shell')}`, ...rest],
    files: { ...project, shell: npmShell(directory) },
    isInDirectory: true,
  };
}

const switches = new Set(['-y', '--yes', '-q', '--quiet', '-s', '--silent', '--no-install']);

/** Up to the first word that is neither an option nor, perhaps, the value of one. What follows is the server's. */
function withAbsolutePaths(words: readonly string[], directory: string): string[] {
  const mayTakeValue = (word = '') => /^--?[a-z][\w-]*$/i.test(word) && !switches.has(word);
  const end = words.findIndex((word, index) => !word.startsWith('-') && !mayTakeValue(words[index - 1]));
  const own = end === -1 ? words.length : end + 1;
  return [...withKnownPaths(words.slice(0, own), directory), ...words.slice(own)];
}

/** Its name is unknown for an address. */
function packageOf(spec: string, takesFirst: boolean): Wanted {
  const [, packageName = ''] = /^((?:@[\w.~-]+\/)?[\w.~-]+)(?:@.*)?$/s.exec(spec) ?? [];
  return { packageName, takesFirst };
}
