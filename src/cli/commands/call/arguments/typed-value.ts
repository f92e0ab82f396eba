import { shorten } from '../../../../text/shorten.js';
import { WrongArguments } from './argument-words.js';
import { type TypeName, typeOf } from './property-types.js';

const longestShown = 60;
// As in JSON: `007` and `0x10` are no numbers.
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The value that a typed text stands for. A string is taken as it is; everything else must be of a type that is allowed. */
export function typedValue(key: string, text: string, types: ReadonlySet<TypeName>): unknown {
  if (types.size === 0 || types.has('string')) return text;
  const fault = () =>
    new WrongArguments(
      `${key}: expected ${[...types].join(' or ')}, got ${JSON.stringify(shorten(text, longestShown))}.`,
    );
  const value = number.test(text) ? exactNumber(key, text) : parseJson(text);
  if (value === undefined) throw fault();
  const type = typeOf(value);
  const fits = types.has(type) || (type === 'number' && types.has('integer') && Number.isInteger(value));
  if (!fits) throw fault();
  return value;
}

/** The value of `key:=JSON`. */
export function jsonValue(key: string, text: string): unknown {
  const value = number.test(text.trim()) ? exactNumber(key, text.trim()) : parseJson(text);
  if (value === undefined) throw new WrongArguments(`${key}: the text after := is not valid JSON.`);
  return value;
}

/** An id of 20 digits would be sent as another one. */
function exactNumber(key: string, text: string): number {
  const value = Number(text);
  const isExact = Number.isFinite(value) && (!/^-?\d+$/.test(text) || BigInt(text) === BigInt(value));
  if (!isExact) throw new WrongArguments(`${key}: ${shorten(text, longestShown)} is too large to be sent exactly.`);
  return value;
}

/** Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
