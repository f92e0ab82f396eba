import path from 'node:path';
import { shellQuote } from '../../../../text/shell-quote.js';
import { hasRunner, runnerAt } from './find-runner.js';
import { type Launch, launchRunner, launchStray } from './launch.js';
import type { LaunchPlace } from './launcher.js';
import { withKnownPaths } from './options.js';
import { programName } from './program-name.js';
import { isShell, plainWords, scriptAt, splitWords } from './shell-script.js';

/** Programs that start another one, which they are given as words, on this computer and with the same rights. */
const wrappers = new Set([
  ...['env', 'cmd', 'nice', 'nohup', 'stdbuf', 'timeout', 'time', 'setsid', 'ionice', 'chrt', 'taskset', 'caffeinate'],
  ...['prlimit', 'dumb-init', 'tini', 'xvfb-run', 'proxychains4', 'op', 'doppler', 'infisical', 'dotenv', 'dotenvx'],
  ...['aws-vault', 'mise', 'asdf', 'fnm', 'volta', 'direnv', 'corepack'],
]);

/** What they start does not run in the directory that they are started in. */
const distant = new Set(['docker', 'podman', 'nerdctl', 'kubectl', 'ssh']);

/**
 * How a command line with a package runner is started in a directory of ours. Undefined if it has none. Where it is not certain
 * which of its words the runner is, or what it is given, the server starts there, too.
 */
export function launchWords(written: readonly string[], place: LaunchPlace): Launch | undefined {
  const words = withoutSplitting(written);
  if (!hasRunner(words) || isLeft(words)) return undefined;
  return launchCertain(words, place) ?? launchStray(words, place);
}

/** Undefined if there is no runner, or it is not certain. */
function launchCertain(words: readonly string[], place: LaunchPlace): Launch | undefined {
  const script = scriptAt(words);
  if (script !== undefined) return launchScript(words, script, place);
  const at = startedAt(words);
  if (at === undefined) return undefined;
  const found = runnerAt(words, at);
  // It may be the server that starts the other one, in its directory.
  if (found !== undefined && hasRunner(found.words)) return undefined;
  const launch = found === undefined ? launchCertain(words.slice(at), place) : launchRunner(found, place);
  return launch && { ...launch, words: [...withKnownPaths(words.slice(0, at), place.directory), ...launch.words] };
}

/** The place of the runner, or of the shell, that is started. */
function startedAt(words: readonly string[]): number | undefined {
  const isStart = (index: number) => runnerAt(words, index) !== undefined || scriptAt(words.slice(index)) !== undefined;
  if (isStart(0)) return 0;
  const name = programName(words[0] ?? '');
  if (name === 'node') {
    const script = nodeScriptAt(words);
    return isStart(script) ? script : undefined;
  }
  const at = words.findIndex((_, index) => isStart(index));
  if (at === -1) return undefined;
  const before = words.slice(1, at);
  if (isPython(name)) return before.at(-1) === '-m' ? at : undefined;
  // With a directory of its own for what it starts, ours would be replaced, and then that one by the launcher.
  return wrappers.has(name) && !before.some((word) => /^(?:-C|--chdir|--cd|--cwd)/.test(word)) ? at : undefined;
}

function isPython(name: string): boolean {
  return /^py(?:thon)?w?[\d.]*$/.test(name);
}

function nodeScriptAt(words: readonly string[]): number {
  let index = 1;
  while (words[index]?.startsWith('-') === true) {
    index += /^(?:-r|--require|--import|--loader|--experimental-loader|-C|--conditions)$/.test(words[index] ?? '')
      ? 2
      : 1;
  }
  return index;
}

/** Whether it starts as written although it has a runner. */
function isLeft(words: readonly string[]): boolean {
  if (isDistant(words) || isOfDirectory(words)) return true;
  const script = scriptAt(words);
  const plain = script === undefined ? undefined : plainWords(words[script] ?? '');
  return script !== undefined && plain !== undefined && isLeft(plain) && !hasRunner(words.slice(script + 1));
}

function isDistant(words: readonly string[]): boolean {
  const at = words.findIndex((word, index) => distant.has(programName(word)) || runnerAt(words, index) !== undefined);
  const isStarted = at === 0 || wrappers.has(programName(words[0] ?? ''));
  return isStarted && distant.has(programName(words[at] ?? ''));
}

/** Whether a program in the directory is started: that one runs what is there anyway, and the rest are its arguments. */
function isOfDirectory(words: readonly string[]): boolean {
  const isOwn = (index: number) => {
    const word = words[index] ?? '';
    const isInside = !path.isAbsolute(word) && !word.split(/[\\/]/).includes('..');
    return isInside && runnerAt(words, index) === undefined;
  };
  const [program = '', first = ''] = words;
  if (/[\\/]/.test(program) && isOwn(0)) return true;
  const name = programName(program);
  const isInterpreter = name === 'node' || isPython(name) || isShell(name);
  return isInterpreter && first !== '' && !/^[-+]/.test(first) && isOwn(1);
}

/** `env -S "A=1 npx"` as `env A=1 npx`. */
function withoutSplitting(words: readonly string[]): readonly string[] {
  const [program = '', option = '', ...rest] = words;
  if (programName(program) !== 'env') return words;
  const [, joined] = /^(?:-S|--split-string=)(.+)$/s.exec(option) ?? [];
  if (joined === undefined && option !== '-S' && option !== '--split-string') return words;
  const split = splitWords(joined ?? rest[0] ?? '');
  return split === undefined ? words : [program, ...split, ...rest.slice(joined === undefined ? 1 : 0)];
}

function launchScript(words: readonly string[], at: number, place: LaunchPlace): Launch | undefined {
  const script = words[at] ?? '';
  const plain = plainWords(script);
  const launch = plain && launchWords(plain, place);
  if (launch === undefined || hasRunner(words.slice(at + 1))) return undefined;
  const line = launch.words.map(shellQuote).join(' ');
  // What is not known could be a word of the shell itself.
  const isProgram = launch.isInDirectory || /\bexec\s/.test(script);
  return { ...launch, words: [...words.slice(0, at), isProgram ? `exec ${line}` : line, ...words.slice(at + 1)] };
}
