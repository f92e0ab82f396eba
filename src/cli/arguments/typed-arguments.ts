import type { Tool } from '../../contract/types.js';
import { isRecord } from '../../jsonrpc/json.js';
import { faultsText } from '../../workbench/violations.js';
import { type ArgumentWord, parseWord, sourceOf, WrongArguments } from './argument-words.js';
import { schemaOfArgument, schemaOfItems, type TypeName, typesOf } from './property-types.js';
import { jsonValue, parseJson, typedValue } from './typed-value.js';

type Schema = Readonly<Record<string, unknown>>;
type Arguments = Readonly<Record<string, unknown>>;

/** Reads what words refer to. Throws `WrongArguments` if it cannot. */
export interface ArgumentSources {
  file(path: string): Promise<string>;
  stdin(): Promise<string>;
}

/** The arguments for a tool. Throws `WrongArguments` for those that any validator would refuse. */
export async function argumentsFor(
  tool: Tool,
  words: readonly string[],
  base: string | undefined,
  sources: ArgumentSources,
): Promise<Arguments> {
  const args = await typedArguments(tool.inputSchema, words, base, sources);
  const faults = faultsText(tool, args);
  if (faults !== undefined) throw new WrongArguments(`${faults}.`);
  return args;
}

/**
 * The arguments that a command line stands for: `--args` first, `key=value` on top of it. The schema decides on types: a
 * string is taken as typed, everything else must be of its type. A key given twice is an array, where the schema has one.
 */
async function typedArguments(
  schema: Schema,
  words: readonly string[],
  base: string | undefined,
  sources: ArgumentSources,
): Promise<Arguments> {
  const given = new Map<string, ArgumentWord[]>();
  for (const word of words.map(parseWord)) given.set(word.key, [...(given.get(word.key) ?? []), word]);
  const read = readOnce(sources);
  const args = new Map<string, unknown>(base === undefined ? [] : Object.entries(await baseArguments(base, read)));
  for (const [key, same] of given) args.set(key, await valueOf(schema, key, same, read));
  // Not by assignment: that would not set `__proto__`.
  return Object.fromEntries(args);
}

type Read = (from: ArgumentWord['from']) => Promise<string>;

async function baseArguments(base: string, read: Read): Promise<Arguments> {
  const text = await read(base === '-' ? 'stdin' : sourceOf(base));
  const value = parseJson(text);
  if (!isRecord(value)) throw new WrongArguments(`--args: expected a JSON object.`);
  return value;
}

async function valueOf(root: Schema, key: string, words: readonly ArgumentWord[], read: Read): Promise<unknown> {
  const schema = schemaOfArgument(root, key);
  const types = typesOf(root, schema);
  const [first] = words;
  if (first === undefined) return undefined;
  if (words.length === 1) return oneValue(first, types, read);
  if (!types.has('array')) throw new WrongArguments(`${key} is given ${words.length} times, and it is no array.`);
  const items = typesOf(root, schemaOfItems(root, schema));
  const values: unknown[] = [];
  for (const word of words) values.push(await oneValue(word, items, read));
  return values;
}

async function oneValue(word: ArgumentWord, types: ReadonlySet<TypeName>, read: Read): Promise<unknown> {
  const text = await read(word.from);
  if (word.isJson) return jsonValue(word.key, text);
  // The line end of a file belongs to a text, and to nothing else.
  const isText = types.size === 0 || types.has('string') || (typeof word.from === 'object' && 'text' in word.from);
  return typedValue(word.key, isText ? text : text.trim(), types);
}

function readOnce(sources: ArgumentSources): Read {
  let isRead = false;
  return async (from) => {
    if (from !== 'stdin') return 'text' in from ? from.text : sources.file(from.file);
    if (isRead) throw new WrongArguments('stdin can be read only once.');
    isRead = true;
    return sources.stdin();
  };
}
