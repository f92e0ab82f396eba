import { shellQuote } from '../../../../text/shell-quote.js';
import { type FoundRunner, type Launch, launchRunner } from './launch.js';
import type { LaunchPlace } from './launcher.js';
import { absolutePath } from './options.js';
import { programName } from './program-name.js';
import { knownRunners } from './runners.js';

/** Programs that start another one, which they are given as words. */
const wrappers = new Set([
  ...['env', 'cmd', 'nice', 'nohup', 'stdbuf', 'timeout', 'time', 'setsid', 'ionice', 'chrt', 'taskset', 'caffeinate'],
  ...[
    'op',
    'doppler',
    'infisical',
    'dotenv',
    'dotenvx',
    'mise',
    'asdf',
    'fnm',
    'volta',
    'direnv',
    'corepack',
    'proxychains4',
  ],
]);
const shells = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh']);

/**
 * How the package runner in a command line is started in a directory of ours. Undefined if there is none. Runners are found also
 * behind programs that start another one, and in scripts of a shell.
 */
export function launchWords(words: readonly string[], place: LaunchPlace): Launch | undefined {
  const script = scriptAt(words);
  if (script !== undefined) return launchScript(words, script, place);
  const at = words.findIndex((_, index) => runnerAt(words, index) !== undefined);
  const found = at === -1 || !isStarted(words, at) ? undefined : runnerAt(words, at);
  const launch = found && launchRunner(found, place);
  if (launch === undefined) return undefined;
  const before = words.slice(0, at).map((word) => absolutePath(word, place.directory));
  const [program = '', ...rest] = launch.words;
  return { ...launch, words: [...before, absolutePath(program, place.directory), ...rest] };
}

function runnerAt(words: readonly string[], index: number): FoundRunner | undefined {
  const program = words[index] ?? '';
  const name = programName(program);
  const known = Object.hasOwn(knownRunners, name) ? knownRunners[name] : undefined;
  const rest = words.slice(index + 1);
  const isRunner = known?.verbs.some((verb) => {
    const start = verb.length === 0 ? 0 : rest.indexOf(verb[0] ?? '');
    return start !== -1 && verb.every((word, at) => rest[start + at] === word);
  });
  return known === undefined || isRunner !== true ? undefined : { known, program, words: rest };
}

/** Whether a word is a program that is started, and no argument of another. */
function isStarted(words: readonly string[], at: number): boolean {
  if (at === 0) return true;
  const name = programName(words[0] ?? '');
  const between = words.slice(1, at);
  // `node npx-cli.js`, `python -m pipx`
  if (name === 'node') return between.every((word) => word.startsWith('-'));
  if (/^py(?:thon)?w?[\d.]*$/.test(name)) return between.at(-1) === '-m';
  return wrappers.has(name);
}

/** The place of a script for a shell. */
function scriptAt(words: readonly string[]): number | undefined {
  if (!shells.has(programName(words[0] ?? ''))) return undefined;
  const option = words.findIndex((word, index) => index > 0 && /^-[a-z]*c$/.test(word));
  const areOptions = words.slice(1, option).every((word) => word.startsWith('-'));
  return option === -1 || !areOptions || words[option + 1] === undefined ? undefined : option + 1;
}

function launchScript(words: readonly string[], at: number, place: LaunchPlace): Launch | undefined {
  const script = words[at] ?? '';
  const plain = plainWords(script);
  const launch = plain && launchWords(plain, place);
  if (launch !== undefined) {
    const line = `exec ${launch.words.map(shellQuote).join(' ')}`;
    return { ...launch, words: [...words.slice(0, at), line, ...words.slice(at + 1)] };
  }
  const parts = script.split(/[\s;&|()"'`$]+/);
  const hasRunner = plain === undefined && parts.some((_, index) => runnerAt(parts, index) !== undefined);
  return hasRunner ? { words, files: {}, isInDirectory: false } : undefined;
}

/** The words of a script that is one command, and nothing that only a shell understands. */
function plainWords(script: string): string[] | undefined {
  const line = script.trim().replace(/^((?:\w+=\S*\s+)*)exec\s+/, '$1');
  if (!/^(?:[\w@%+=:,./~-]+|'[^']*'|"[^"$`\\]*"|[ \t]+)+$/.test(line) || /(?:^|\s)~/.test(line)) return undefined;
  const words = Array.from(line.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g), ([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''),
  );
  return /^\w+=/.test(words[0] ?? '') ? ['env', ...words] : words;
}
