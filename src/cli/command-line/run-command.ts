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
export async function runCommand(argv: readonly string[]): Promise<ExitCode> {
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
  if (command.load === undefined)
    return output.fail(usageFailure(withHelp('--config needs the path of a file', command)));
  try {
    const { run } = await command.load();
    return await run({ words, options, computer: thisComputer(process.env), output });
  } catch (error) {
    if (!(error instanceof Error && error.name === 'Interrupted')) return output.fail(failureOf(error));
    output.say('\nNothing was changed.');
    return exitCodes.interrupted;
  }
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
    return { problem: messageOf(error) };
  }
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
