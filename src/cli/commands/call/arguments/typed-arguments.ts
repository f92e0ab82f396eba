import type { Tool } from '../../../../contract/types.js';
import type { JsonObject } from '../../../../jsonrpc/json.js';
import { faultsText } from '../../../../workbench/calls/violations.js';
import { WrongArguments } from './argument-words.js';
import { schemaOfArgument, schemaOfItems, type TypeName, typesOf } from './property-types.js';
import type { GivenArguments, GivenWord } from './read-arguments.js';
import { jsonValue, typedValue } from './typed-value.js';

/**
 * The arguments for a tool: `--args` first, `key=value` on top of it. The schema decides on types: a string is taken as
 * typed, everything else must be of its type. A key given twice is an array, where the schema has one. Throws
 * `WrongArguments` for arguments that any validator would refuse.
 */
export function argumentsFor(tool: Tool, { base, words }: GivenArguments): JsonObject {
  const given = new Map<string, GivenWord[]>();
  for (const word of words) given.set(word.key, [...(given.get(word.key) ?? []), word]);
  const all = new Map<string, unknown>(Object.entries(base));
  for (const [key, same] of given) all.set(key, valueOf(tool.inputSchema, key, same));
  // Not by assignment: that would not set `__proto__`.
  const args = Object.fromEntries(all);
  const faults = faultsText(tool, args);
  if (faults !== undefined) throw new WrongArguments(`${faults}.`);
  return args;
}

function valueOf(root: JsonObject, key: string, words: readonly GivenWord[]): unknown {
  const schema = schemaOfArgument(root, key);
  const types = typesOf(root, schema);
  const [first] = words;
  if (first === undefined) return undefined;
  if (words.length === 1) return oneValue(first, types);
  if (!types.has('array')) throw new WrongArguments(`${key} is given ${words.length} times, and it is no array.`);
  const items = typesOf(root, schemaOfItems(root, schema));
  return words.map((word) => oneValue(word, items));
}

function oneValue({ key, isJson, isTyped, text }: GivenWord, types: ReadonlySet<TypeName>): unknown {
  if (isJson) return jsonValue(key, text);
  // The line end of a file belongs to a text, and to nothing else.
  const isText = types.size === 0 || types.has('string') || isTyped;
  return typedValue(key, isText ? text : text.trim(), types);
}
