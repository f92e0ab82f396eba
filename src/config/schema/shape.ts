import { isRecord } from '../../jsonrpc/json.js';
import { objectChecks, textChecks } from './checks.js';

/** The schema of a value as plain data. `shape-of-schema.ts` makes it from the zod schema, so that start-up need not load zod. */
export type Shape = PlainShape | EitherShape | ListShape | MapShape | ObjectShape;

type PlainShape = FlagShape | WordShape | WholeShape | TextShape;

interface FlagShape {
  readonly flag: true;
}

interface WordShape {
  readonly words: readonly unknown[];
}

interface WholeShape {
  readonly whole: readonly [least: number, most: number];
}

export interface TextShape {
  /** The names of the checks it has to pass. */
  readonly text: readonly (keyof typeof textChecks)[];
  readonly least?: number;
  readonly pattern?: string;
}

/** A string, or an object that says more. */
export interface EitherShape {
  readonly either: readonly [plain: Shape, object: ObjectShape];
}

export interface ListShape {
  readonly list: Shape;
  readonly least?: number;
}

/** An object whose keys are names. It is read as a Map. */
export interface MapShape {
  readonly map: Shape;
  readonly names: TextShape;
  readonly least?: number;
}

export interface ObjectShape {
  readonly object: { readonly [key: string]: Shape };
  readonly required?: readonly string[];
  readonly checks?: readonly (keyof typeof objectChecks)[];
}

/**
 * Thrown for a value that may be invalid, or that is valid but cannot be read correctly from parsed JSON. A SyntaxError, so
 * that it is recognised in every part of the program: each has its own copy of the class.
 */
export class Unsure extends SyntaxError {}

/** Reads a value as its schema does, or throws Unsure. Adds the keys of all objects in it to `seen`. */
export function readShape(value: unknown, shape: Shape, seen: { keys: number }): unknown {
  if ('list' in shape) {
    sure(Array.isArray(value) && isEnough(value, shape));
    return value.map((item) => readShape(item, shape.list, seen));
  }
  if ('either' in shape) return readShape(value, shape.either[isRecord(value) ? 1 : 0], seen);
  if (!('map' in shape || 'object' in shape)) {
    sure(isPlain(value, shape));
    return value;
  }
  sure(isRecord(value));
  const entries = Object.entries(value);
  seen.keys += entries.length;
  if ('map' in shape) {
    // JavaScript moves keys that are numbers to the front, so the order of the file is lost.
    sure(isEnough(entries, shape) && entries.every(([name]) => isText(name, shape.names) && !/^\d+$/.test(name)));
    return new Map(entries.map(([name, held]) => [name, readShape(held, shape.map, seen)]));
  }
  const { object, required = [], checks = [] } = shape;
  sure(required.every((key) => Object.hasOwn(value, key)) && checks.every((name) => objectChecks[name](value)));
  return Object.fromEntries(
    entries.map(([key, held]) => {
      const inner = Object.hasOwn(object, key) ? object[key] : undefined;
      sure(inner !== undefined);
      return [key, readShape(held, inner, seen)];
    }),
  );
}

function isPlain(value: unknown, shape: PlainShape): boolean {
  if ('text' in shape) return typeof value === 'string' && isText(value, shape);
  if ('words' in shape) return shape.words.includes(value);
  if ('flag' in shape) return typeof value === 'boolean';
  const [least, most] = shape.whole;
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}

function isText(value: string, shape: TextShape): boolean {
  const { text, pattern } = shape;
  const matches = pattern === undefined || new RegExp(pattern).test(value);
  return matches && isEnough(value, shape) && text.every((name) => textChecks[name](value));
}

function isEnough({ length }: { readonly length: number }, { least = 0 }: { readonly least?: number }): boolean {
  return length >= least;
}

function sure(condition: boolean): asserts condition {
  if (!condition) throw new Unsure();
}
