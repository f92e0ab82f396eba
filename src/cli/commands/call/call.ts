import path from 'node:path';
import { isWorkbenchError } from '../../../contract/errors.js';
import type { CallToolResult, ResultOptions, Tool, ToolIdentifier } from '../../../contract/types.js';
import type { JsonObject } from '../../../jsonrpc/json.js';
import { signatureOf } from '../../../workbench/listing/signature.js';
import { findAddress, noTool } from '../../frame/addresses.js';
import { type Call, sameConfig } from '../../frame/command.js';
import { readConfigured } from '../../frame/configured.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { type Failure, usageFailure } from '../../frame/screen/failure.js';
import { type CommandSurroundings, withSession } from '../../frame/with-session.js';
import { serverFailure } from '../../state/server-failure.js';
import { argumentSources } from './arguments/argument-sources.js';
import { type GivenArguments, readArguments } from './arguments/read-arguments.js';
import { argumentsFor } from './arguments/typed-arguments.js';
import { createProgressLines, type ProgressLines } from './progress-lines.js';
import { blocksOf, type ShownBlock, sizeText } from './result-lines.js';
import { saveFile } from './save-file.js';
import { startLines } from './start-lines.js';
import { terminalAgent } from './terminal-agent.js';
import { partIn, wantedPart } from './wanted-part.js';

const longestSignature = 2_000;

/** `mcp-workbench call TOOLBOX SERVER TOOL [key=value …]` */
export async function runCall(call: Call): Promise<ExitCode> {
  const { words, value, computer, output } = call;
  const [toolbox = '', server = '', name = ''] = words;
  const wanted = wantedPart(call);
  if ('message' in wanted) return output.fail(wanted);
  const configured = await readConfigured(value('config'), computer, (message) => output.say(message));
  if (configured !== undefined) findAddress([toolbox, server], configured.toolboxes, 'call', sameConfig(call));
  try {
    // Before the server is started for nothing. Nothing has to be ended yet if the user interrupts it.
    const sources = argumentSources(computer.cwd, process.stdin);
    const args = await readArguments(words.slice(3), value('args'), sources);
    const progress = createProgressLines(output);
    const listen = (interrupt: () => void) => {
      const ask = terminalAgent(output, interrupt);
      return {
        ask: (...question: Parameters<typeof ask>) => progress.without(() => ask(...question)),
        server: startLines(output),
      };
    };
    const id = { toolbox, server, name };
    return await withSession(call, listen, (given) =>
      callTool(call, id, args, { ...given, progress, part: wanted.options }),
    );
  } catch (error) {
    if (isWrong(error)) return output.fail(wrongArguments(error));
    if (!isWorkbenchError(error)) throw error;
    return output.fail(serverFailure(error, configured, call));
  }
}

interface Showing {
  readonly progress: ProgressLines;
  /** The part of the result that is wanted; undefined for all of it. */
  readonly part: ResultOptions | undefined;
}

async function callTool(
  call: Call,
  id: ToolIdentifier,
  words: GivenArguments,
  { session, signal, progress, part }: CommandSurroundings & Showing,
): Promise<ExitCode> {
  const { output } = call;
  const { all, shown } = await session.inspect(id, signal);
  const tool = shown.includes(id.name) ? all.find(({ name }) => name === id.name) : undefined;
  if (tool === undefined) throw noTool(call.words, shown);
  let args: JsonObject;
  try {
    args = argumentsFor(tool, words);
  } catch (error) {
    if (!isWrong(error)) throw error;
    return output.fail(wrongArguments(error, tool));
  }
  const use = session.use({ tool: id, arguments: args }, signal, (one) => progress.show(one));
  const { result, note, isMissing } = partIn(await use.finally(() => progress.end()), part);
  if (note !== undefined) output.say(note.trim());
  const code = show(result, call, id);
  return isMissing ? exitCodes.failed : code;
}

function show(whole: CallToolResult, { value, computer, output }: Call, { name }: ToolIdentifier): ExitCode {
  const directory = value('save');
  const save = (block: ShownBlock) =>
    block.is === 'data' && directory !== undefined
      ? saveFile(path.resolve(computer.cwd, directory), name, block.mimeType, block.bytes)
      : undefined;
  const files: string[] = [];
  for (const block of blocksOf(whole)) {
    const file = save(block);
    if (file !== undefined) files.push(file);
    output.print(lineOf(block, file));
  }
  output.document({ result: whole, ...(directory !== undefined && { files }) });
  return whole.isError === true ? exitCodes.failed : exitCodes.ok;
}

function lineOf(block: ShownBlock, file: string | undefined): string {
  if (block.is !== 'data') return block.text;
  const what = `${block.label}, ${sizeText(block.bytes.length)}`;
  return file === undefined ? `[${what}; --save DIR keeps it]` : `[${what}: ${file}]`;
}

function isWrong(error: unknown): error is Error {
  return error instanceof Error && error.name === 'WrongArguments';
}

function wrongArguments({ message }: Error, tool?: Tool): Failure {
  const signature = tool === undefined ? '' : `\n  ${signatureOf(tool, longestSignature)}`;
  return { ...usageFailure(`${message} Nothing was sent.${signature}`), code: 'INPUT_INVALID' };
}
