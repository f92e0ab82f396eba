import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import { SelectFault } from './fault.js';
import { maxExpressionLevels, maxMadeChars, maxSelectSteps } from './limits.js';
import { writeJson } from './write.js';

/** A character costs less than a step: so many make one. */
const comparedPerStep = 1_024;
const madePerStep = 32;
/** JSON is written value by value. */
const writtenPerStep = 4;

/** What one evaluation may cost, and what depends on it. */
export class Run {
  #steps = maxSelectSteps;
  #chars = maxMadeChars;
  readonly #keys = new Map<object, readonly string[]>();

  /** Call it before the work. */
  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw tooCostly();
  }

  /** Before a text of this length is read from end to end. */
  read(chars: number): void {
    this.spend(Math.floor(chars / comparedPerStep));
  }

  /** Before a text of this length is made. */
  make(chars: number): void {
    this.#chars -= chars;
    if (this.#chars < 0) throw tooCostly();
    this.spend(Math.floor(chars / madePerStep));
  }

  /** Before a list of this length is sorted. */
  sort(length: number): void {
    this.spend(Math.ceil(length * Math.log2(length + 1)));
  }

  /** Listed once per object: a list can hold one large object thousands of times. */
  keys(object: JsonObject): readonly string[] {
    const known = this.#keys.get(object);
    if (known !== undefined) return known;
    const keys = Object.keys(object);
    this.spend(keys.length);
    this.#keys.set(object, keys);
    return keys;
  }

  json(value: unknown): string {
    const text = writeJson(value, Math.min(this.#chars, this.#steps * writtenPerStep));
    if (text === undefined) throw tooCostly();
    this.spend(Math.floor(text.length / writtenPerStep));
    this.make(text.length);
    return text;
  }

  isTrue(value: unknown): boolean {
    if (Array.isArray(value)) return value.length > 0;
    if (isRecord(value)) return this.keys(value).length > 0;
    return value !== null && value !== false && value !== '';
  }

  areEqual(a: unknown, b: unknown, level = 0): boolean {
    this.spend(1);
    if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) this.read(a.length);
    if (a === b) return true;
    if (level > maxExpressionLevels) throw tooCostly();
    if (Array.isArray(a)) {
      return Array.isArray(b) && a.length === b.length && a.every((item, at) => this.areEqual(item, b[at], level + 1));
    }
    if (!isRecord(a) || !isRecord(b)) return false;
    const keys = this.keys(a);
    return (
      keys.length === this.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && this.areEqual(a[key], b[key], level + 1))
    );
  }
}

function tooCostly(): SelectFault {
  return new SelectFault(
    'too-costly',
    `the expression takes more than ${maxSelectSteps.toLocaleString('en')} steps on this result, or makes too much text`,
  );
}
