import { isRecord } from '../../jsonrpc/json.js';
import { SelectFault } from './fault.js';
import { maxExpressionLevels } from './limits.js';

/**
 * The compact JSON of a value, or undefined if it has more than `maxChars` characters. It stops there, so a value that shares its
 * parts a billion times is never walked to its end. Throws a SelectFault if the value is nested more than 200 levels deep.
 */
export function writeJson(value: unknown, maxChars: number): string | undefined {
  const { text, isWhole } = beginJson(value, maxChars);
  return isWhole ? text : undefined;
}

export interface Begun {
  readonly text: string;
  /** The end was reached. */
  readonly isWhole: boolean;
  /** How many characters were left out before `text`: less than wanted if there are less. */
  readonly skipped: number;
}

/** The first `maxChars` characters of the compact JSON of a value, after the first `skip` of them. */
export function beginJson(value: unknown, maxChars: number, skip = 0): Begun {
  const writer = new Writer(maxChars, skip, skip > 0 ? lengthsIn(value) : undefined);
  writer.write(value, 0);
  const { text } = writer;
  const skipped = skip - writer.skip;
  return text.length > maxChars
    ? { text: text.slice(0, maxChars), isWhole: false, skipped }
    : { text, isWhole: true, skipped };
}

class Writer {
  text = '';
  /** Characters that are still to be left out. */
  skip: number;
  readonly #max: number;
  readonly #lengths: Lengths | undefined;

  constructor(maxChars: number, skip: number, lengths: Lengths | undefined) {
    this.#lengths = lengths;
    this.#max = maxChars;
    this.skip = skip;
  }

  write(value: unknown, level: number): void {
    assertLevel(level);
    if (level > 0 && this.skip > 0) {
      const length = this.#lengths?.of(value, level) ?? 0;
      if (length > 0 && length <= this.skip) {
        this.skip -= length;
        return;
      }
    }
    if (typeof value === 'string') this.#string(value);
    else if (Array.isArray(value)) this.#list(value, level);
    else if (isRecord(value)) this.#object(value, level);
    else this.#add(plain(value));
  }

  get #isFull(): boolean {
    return this.text.length > this.#max;
  }

  #add(text: string): void {
    if (this.skip === 0) this.text += text;
    else if (text.length <= this.skip) this.skip -= text.length;
    else {
      this.text += text.slice(this.skip);
      this.skip = 0;
    }
  }

  #string(value: string): void {
    const room = this.skip + this.#max - this.text.length + 1;
    // Two more, so that no character is cut in halves, which JSON writes in another way.
    this.#add(JSON.stringify(value.length > room ? value.slice(0, room + 2) : value));
  }

  #list(items: readonly unknown[], level: number): void {
    this.#add('[');
    for (let at = 0; at < items.length && !this.#isFull; at++) {
      if (at > 0) this.#add(',');
      this.write(items[at], level + 1);
    }
    this.#add(']');
  }

  #object(object: Record<string, unknown>, level: number): void {
    let isFirst = true;
    this.#add('{');
    for (const key in object) {
      if (this.#isFull) break;
      if (!isFirst) this.#add(',');
      isFirst = false;
      this.#string(key);
      this.#add(':');
      this.write(object[key], level + 1);
    }
    this.#add('}');
  }
}

/** The lengths of values as compact JSON. A part that is shared is measured once, however often it occurs. */
class Lengths {
  readonly #known = new Map<unknown, number>();

  of(value: unknown, level: number): number {
    assertLevel(level);
    if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return plain(value).length;
    const isShort = typeof value === 'string' && value.length < sharedString;
    const known = isShort ? undefined : this.#known.get(value);
    if (known !== undefined) return known;
    const length = typeof value === 'string' ? JSON.stringify(value).length : this.#ofParts(value, level);
    if (!isShort) this.#known.set(value, length);
    return length;
  }

  #ofParts(value: object, level: number): number {
    let length = 1;
    if (Array.isArray(value)) for (const item of value) length += this.of(item, level + 1) + 1;
    else if (isRecord(value))
      for (const key in value) length += this.of(key, level) + ':'.length + this.of(value[key], level + 1) + 1;
    // A comma for each but the last, and both brackets.
    return Math.max(length, 2);
  }
}

/** While a value is in use: its pages are often read one after the other, and each is written more than once. */
const lengthsOf = new WeakMap<object, Lengths>();

function lengthsIn(value: unknown): Lengths {
  if (typeof value !== 'object' || value === null) return new Lengths();
  const lengths = lengthsOf.get(value) ?? new Lengths();
  lengthsOf.set(value, lengths);
  return lengths;
}

/** Shorter strings are measured each time. */
const sharedString = 100;

function plain(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}

function assertLevel(level: number): void {
  if (level > maxExpressionLevels)
    throw new SelectFault('too-costly', `the value is nested more than ${maxExpressionLevels} levels deep`);
}
