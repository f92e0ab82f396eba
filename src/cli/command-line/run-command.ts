import { parseArgs } from 'node:util';
import { messageOf } from '../../contract/errors.js';
import { thisComputer } from '../../platform/computer.js';
import { version } from '../../platform/version.js';
import { nearest } from '../../text/nearest.js';
import type { Command } from '../commands/command.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { createOutput, failureOf, type Output, usageFailure } from '../output.js';
import { commandHelp, generalHelp } from './help.js';
import { commands } from './table.js';

/** Runs the command of a command line and returns its exit code. */
export async function runCommand(given: readonly string[]): Promise<ExitCode> {
  endQuietlyWithStdout();
  const argv = commandFirst(given);
  const [first = '', ...rest] = argv;
  const output = outputFor(argv.includes('--json'), !argv.includes('--no-color'));
  if (first === '--help' || first === '-h') return show(generalHelp(commands));
  if (first === '--version' || first === '-v') return show(`${version}\n`);
  // Options without a command are those of `serve`.
  const name = first.startsWith('-') ? 'serve' : first;
  const command = commands.find((one) => one.name === name);
  if (command === undefined) return output.fail(usageFailure(noCommand(name)));
  return runOne(command, name === first ? rest : argv, output);
}

/** A reader such as `head` may close stdout at any time; what is left to write is then of no interest. */
function endQuietlyWithStdout(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.stderr.write(`mcp-workbench: Cannot write to stdout: ${error.code ?? error.message}\n`);
    process.exit(exitCodes.failed);
  });
}

/** `--json trust` is `trust --json`. */
function commandFirst(argv: readonly string[]): readonly string[] {
  const at = argv.findIndex((word) => !['--json', '--no-color'].includes(word));
  return at <= 0 ? argv : [...argv.slice(at), ...argv.slice(0, at)];
}

async function runOne(command: Command, args: readonly string[], output: Output): Promise<ExitCode> {
  const parsed = parse(command, args);
  if ('problem' in parsed) return output.fail(usageFailure(withHelp(parsed.problem, command)));
  const { words, options } = parsed;
  if (options['help'] === true) return show(commandHelp(command));
  if (command.name === 'help') return helpOn(words[0], output);
  if (command.name === 'version') {
    output.document({ workbench: version });
    output.print(version);
    return exitCodes.well;
  }
  // What `serve` accepts was served without coming here.
  if (command.load === undefined) return output.fail(usageFailure(withHelp(serveProblem(args), command)));
  try {
    const { run } = await command.load();
    return await run({ words, options, computer: thisComputer(process.env), output });
  } catch (error) {
    if (!(error instanceof Error && error.name === 'Interrupted')) return output.fail(failureOf(error));
    output.say('Nothing was changed.');
    return exitCodes.interrupted;
  }
}

function serveProblem(args: readonly string[]): string {
  if (args.filter((word) => /^(?:-c|--config(?:$|=))/.test(word)).length > 1) return '--config can be given only once.';
  const [, joined] = args.map((word) => /^-c(.+)$/s.exec(word)).find((match) => match !== null) ?? [];
  return joined === undefined ? '--config needs the path of a file.' : `Write a space after -c: -c ${joined}`;
}

type Parsed =
  | { readonly words: readonly string[]; readonly options: Readonly<Record<string, string | boolean | undefined>> }
  | { readonly problem: string };

function parse({ options, maxWords, usage }: Command, args: readonly string[]): Parsed {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [extra] = positionals.slice(maxWords);
    if (extra !== undefined) return { problem: `Unexpected '${extra}'. It takes ${usage || 'nothing'}.` };
    return { words: positionals, options: values };
  } catch (error) {
    return { problem: unknownOption(options, args) ?? messageOf(error) };
  }
}

function unknownOption(options: Command['options'], args: readonly string[]): string | undefined {
  const names = Object.keys(options);
  const letters = new Set(Object.values(options).map(({ short }) => short));
  for (const word of args.slice(0, args.includes('--') ? args.indexOf('--') : args.length)) {
    const [, long, short] = /^(?:--([^=]+)|-([^-]))/.exec(word) ?? [];
    if (short !== undefined && !letters.has(short)) return `Unknown option -${short}.`;
    if (long === undefined || names.includes(long)) continue;
    const [similar] = nearest(long, names, 1);
    return `Unknown option --${long}.${similar === undefined ? '' : ` Did you mean --${similar}?`}`;
  }
  return undefined;
}

function helpOn(name: string | undefined, output: Output): ExitCode {
  if (name === undefined) return show(generalHelp(commands));
  const command = commands.find((one) => one.name === name);
  return command === undefined ? output.fail(usageFailure(noCommand(name))) : show(commandHelp(command));
}

function noCommand(name: string): string {
  const names = commands.map((command) => command.name);
  const [similar] = nearest(name, names, 1);
  const help = similar === undefined ? `There are: ${names.join(', ')}.` : `Did you mean '${similar}'?`;
  return `No command '${name}'. ${help}`;
}

function outputFor(json: boolean, color: boolean): Output {
  const { stdout, stderr, env, platform } = process;
  return createOutput({ stdout, stderr, env, platform }, { json, color });
}

function show(text: string): ExitCode {
  process.stdout.write(text);
  return exitCodes.well;
}

function withHelp(problem: string, { name }: Command): string {
  return `${problem}\nSee mcp-workbench ${name} --help`;
}
