import { isRecord, type JsonObject } from '../../../../jsonrpc/json.js';
import { type ArgumentWord, parseWord, sourceOf, WrongArguments } from './argument-words.js';
import { parseJson } from './typed-value.js';

/** Reads what words refer to. Throws `WrongArguments` if it cannot. */
export interface ArgumentSources {
  file(path: string): Promise<string>;
  stdin(): Promise<string>;
}

/** The arguments of a command line, with the contents of files and stdin. */
export interface GivenArguments {
  /** Of `--args`. */
  readonly base: JsonObject;
  readonly words: readonly GivenWord[];
}

export interface GivenWord {
  readonly key: string;
  readonly isJson: boolean;
  /** Whether the text stands on the command line itself. */
  readonly isTyped: boolean;
  readonly text: string;
}

/** Needs no tool, so that no server is started for arguments that cannot be read. Throws `WrongArguments`. */
export async function readArguments(
  words: readonly string[],
  base: string | undefined,
  sources: ArgumentSources,
): Promise<GivenArguments> {
  const parsed = words.map(parseWord);
  const read = readOnce(sources);
  const given = base === undefined ? {} : parseBase(await read(base === '-' ? 'stdin' : sourceOf(base)));
  const texts: GivenWord[] = [];
  for (const { key, isJson, from } of parsed)
    texts.push({ key, isJson, isTyped: from !== 'stdin' && 'text' in from, text: await read(from) });
  return { base: given, words: texts };
}

function parseBase(text: string): JsonObject {
  const value = parseJson(text);
  if (!isRecord(value)) throw new WrongArguments('--args: expected a JSON object.');
  return value;
}

function readOnce(sources: ArgumentSources): (from: ArgumentWord['from']) => Promise<string> {
  let isRead = false;
  return async (from) => {
    if (from !== 'stdin') return 'text' in from ? from.text : sources.file(from.file);
    if (isRead) throw new WrongArguments('stdin can be read only once.');
    isRead = true;
    return sources.stdin();
  };
}
