/** Where an object stands in a file: the keys that lead to it. */
export type KeyPath = readonly string[];

export type Format = 'json' | 'toml' | 'env';

/** An entry of a file: a member of the object at `at`. */
export interface Entry {
  readonly at: KeyPath;
  readonly name: string;
  readonly value: unknown;
  /** Where it begins in the text. */
  readonly offset: number;
  /** Why it cannot be cut out; undefined if it can. */
  readonly fixed?: string;
}

/**
 * One thing that a file says: a value, with its text as written, or that an object or a list begins. Two files whose facts are
 * the same, in the same order, mean the same, also if they have a key twice.
 */
export interface Fact {
  readonly path: readonly (string | number)[];
  readonly text: string;
  /** Where it is written. */
  readonly offset: number;
}

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A replacement in a text. */
export interface Splice extends Range {
  readonly text: string;
}

/**
 * What an added entry is written as: a value, or the text that it once had. `lines`: how a value is written where entries have
 * lines of their own, with a tab for each level. `indent`: that of the text.
 */
export type Source =
  | { readonly value: unknown; readonly lines?: readonly string[] }
  | { readonly text: string; readonly indent?: string };

export interface Addition {
  readonly kind: 'add';
  readonly at: KeyPath;
  readonly name: string;
  readonly source: Source;
  /** The entry that it follows, if that is there; else it is the last one. `null`: it is the first. */
  readonly after?: string | null;
  /** Lines of comment before it, without their marks. Only in JSON. */
  readonly comments?: readonly string[];
}

export interface Removal {
  readonly kind: 'remove';
  readonly at: KeyPath;
  readonly name: string;
  /** How many of the objects around it were made with it: each is removed, too, if nothing else is in it. */
  readonly made?: number;
  /** What was between the braces of the object around it when it was empty. */
  readonly blank?: string | undefined;
  /** What was written around it. If it is still there, it is removed, too. */
  readonly glue?: Glue | undefined;
  /** The comments that are about it go with it. Only in JSON. */
  readonly withComments?: true;
}

export interface Glue {
  readonly before: string;
  readonly after: string;
}

export type Edit = Addition | Removal;

/** The splices of one edit, and the edit that takes it back. */
export interface Spliced {
  readonly splices: readonly Splice[];
  readonly inverse: Edit;
}

/** The splices of many additions. `inverse` has an edit for each, in their order. */
export interface SplicedAll {
  readonly splices: readonly Splice[];
  readonly inverse: readonly Edit[];
}

/** The text of a file that was parsed. A byte order mark counts as text before it. */
export interface Document {
  readonly text: string;
  /** The keys of the object at a place, in order, each once; none if there is no object. */
  keysAt(at: KeyPath): string[];
  /** The members of the object at a place. Throws a `Misfit` if it cannot be edited. */
  entriesAt(at: KeyPath): Entry[];
  facts(): Fact[];
  comments(): Range[];
  splicesFor(edit: Edit): Spliced;
  /** The same for many new entries of one object, if that is there. */
  splicesForAll?(additions: readonly Addition[]): SplicedAll | undefined;
}

/** Why a text cannot be read or edited. `offset`: where. Caught within this folder's callers by its name. */
export class Misfit extends Error {
  override readonly name = 'Misfit';
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

export function isMisfit(error: unknown): error is Misfit {
  return error instanceof Error && error.name === 'Misfit';
}

/** The line break that a text uses. */
export function lineBreakOf(text: string): string {
  return /\r\n|\n|\r/.exec(text)?.[0] ?? '\n';
}

export function splice(text: string, splices: readonly Splice[]): string {
  let result = '';
  let end = 0;
  for (const one of splices.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (one.start < end || one.end < one.start) throw new Misfit('Two edits overlap.', one.start);
    result += text.slice(end, one.start) + one.text;
    end = one.end;
  }
  return result + text.slice(end);
}
