import { thisComputer } from '../../../platform/computer.js';
import { version } from '../../../platform/version.js';
import { nearest } from '../../../text/nearest.js';
import type { Command } from '../command.js';
import { type ExitCode, exitCodes } from '../screen/exit-codes.js';
import { failureOf, usageFailure } from '../screen/failure.js';
import { createOutput, type Output } from '../screen/output.js';
import { openStream, type Stream } from '../screen/streams.js';
import { commandHelp, generalHelp } from './help.js';
import { parse } from './parse.js';
import { meantBy } from './synonyms.js';
import { commands, general } from './table.js';

/** Runs the command of a command line and returns its exit code. */
export async function runCommand(given: readonly string[]): Promise<ExitCode> {
  const { name, args: typed } = split(given);
  const command = name === undefined ? general : commands.find((one) => one.name === name);
  const args = command?.prepare?.(typed) ?? typed;
  const options = new Set(args.slice(0, args.includes('--') ? args.indexOf('--') : args.length));
  const output = outputFor(options.has('--json'), !options.has('--no-color'));
  if (command === undefined) return output.fail(usageFailure(noCommand(name ?? '')));
  return runOne(command, args, output);
}

/** The name of the command and what stands around it: options of every command may come before it. */
function split(argv: readonly string[]): { readonly name: string | undefined; readonly args: readonly string[] } {
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (word === '--config' || word === '-c' || word === '--host-name') at++;
    else if (!word.startsWith('-')) return { name: word, args: [...argv.slice(0, at), ...argv.slice(at + 1)] };
    // The word after an option of a single command may be its value.
    else if (!Object.hasOwn(general.options, word.replace(/^--|=.*$/gs, ''))) break;
  }
  return { name: undefined, args: argv };
}

async function runOne(command: Command, args: readonly string[], output: Output): Promise<ExitCode> {
  const parsed = parse(command, args);
  if ('problem' in parsed) return output.fail(usageFailure(withHelp(parsed.problem, command)));
  const { words } = parsed;
  if (parsed.flag('help')) return show(command === general ? generalHelp(commands) : commandHelp(command), output);
  if (parsed.flag('version') || command.name === 'version') return showVersion(output);
  if (command.name === 'help') return helpOn(words[0], output);
  // Plain `serve` was handled before this. Without a command `serve` is meant too, unless stdin is a terminal.
  const isServe = command === general && !output.isJson && !process.stdin.isTTY;
  if (command.load === undefined || isServe) return output.fail(usageFailure(withHelp(serveProblem(args), command)));
  try {
    const run = await command.load();
    return await run({ ...parsed, computer: thisComputer(process.env), output, commands });
  } catch (error) {
    if (!(error instanceof Error && error.name === 'Interrupted')) return output.fail(failureOf(error));
    output.say(error.message);
    return exitCodes.interrupted;
  }
}

function serveProblem(args: readonly string[]): string {
  const [, joined] = args.map((word) => /^-c(.+)$/s.exec(word)).find((match) => match !== null) ?? [];
  return joined === undefined ? 'The command line is not that of serve.' : `Write a space after -c: -c ${joined}`;
}

function helpOn(name: string | undefined, output: Output): ExitCode {
  if (name === undefined) return show(generalHelp(commands), output);
  const command = commands.find((one) => one.name === name);
  return command === undefined ? output.fail(usageFailure(noCommand(name))) : show(commandHelp(command), output);
}

function noCommand(name: string): string {
  const names = commands.map((command) => command.name);
  const [similar] = nearest(name, names, 1);
  const help = similar === undefined ? `There are: ${names.join(', ')}.` : `Did you mean '${similar}'?`;
  return `No command '${name}'. ${meantBy(name) ?? help}`;
}

function openStreams(): { readonly stdout: Stream; readonly stderr: Stream } {
  const stderr = openStream(2, () => {});
  const stdout = openStream(1, (reason) => {
    stderr.write(`mcp-workbench: Cannot write to stdout: ${reason}\n`);
    process.exit(exitCodes.failed);
  });
  return { stdout, stderr };
}

function outputFor(json: boolean, color: boolean): Output {
  const { env, platform } = process;
  return createOutput({ ...openStreams(), env, platform }, { json, color });
}

function showVersion(output: Output): ExitCode {
  output.document({ workbench: version });
  output.print(version);
  return exitCodes.ok;
}

function show(text: string, output: Output): ExitCode {
  output.document({ help: text });
  if (!output.isJson) output.show(text);
  return exitCodes.ok;
}

function withHelp(problem: string, { name }: Command): string {
  return `${problem}\nSee mcp-workbench ${name} --help`.replace('  ', ' ');
}
