import { isRecord } from '../jsonrpc/json.js';
import { shorten } from '../text/shorten.js';
import { named } from './select/hint.js';
import { beginJson } from './select/write.js';
import type { Content } from './value.js';

const maxPlaces = 20;
/** Further ones are not counted: a text can have millions. */
const maxCounted = 100_000;
/** Shown before and after what was found. */
const contextChars = 60;
const longestPlace = 400;
/** In a longer line every place is shown by itself, with the character to read from. */
const longLine = 1_000;
const lineFeed = 0x0a;

export interface Found {
  /** A line for each place, at most 20, with at most `maxChars` characters together: `[17].labels[0].name: …timeout…` or `line 12: …`. */
  readonly lines: readonly string[];
  /** How many places there are; counting ends at 100,000. */
  readonly count: number;
}

/** Every place where a text occurs, ignoring case: in JSON by paths that `select` takes, in text by lines. */
export function findIn(content: Content, text: string, maxChars: number): Found {
  const places = new Places(maxChars);
  const wanted = text.toLowerCase();
  if (wanted === '') return places;
  if (content.isText) findInText(content.value, wanted, places);
  else findInValue(content.value, wanted, places);
  return places;
}

class Places implements Found {
  readonly lines: string[] = [];
  count = 0;
  #room: number;

  constructor(maxChars: number) {
    this.#room = maxChars;
  }

  get isFull(): boolean {
    return this.count >= maxCounted;
  }

  /** The line is made only if it is shown. */
  add(line: () => string): void {
    if (this.count++ >= maxPlaces || this.#room <= 0) return;
    const text = line();
    this.#room -= text.length + 1;
    if (this.#room >= 0) this.lines.push(text);
  }
}

function findInText(text: string, wanted: string, places: Places): void {
  const lower = text.toLowerCase();
  // A few characters become longer; then places are those of the lower text.
  const shown = lower.length === text.length ? text : lower;
  let [line, begin, end, read] = [1, 0, -1, 0];
  for (let at = lower.indexOf(wanted); at !== -1 && !places.isFull; ) {
    for (; read < at; read++) {
      if (lower.charCodeAt(read) !== lineFeed) continue;
      line++;
      begin = read + 1;
    }
    if (at > end) end = endOfLine(lower, at);
    const isLong = end - begin > longLine;
    const place = `line ${line}${isLong ? `, character ${at}` : ''}`;
    const found = [at, wanted.length, begin, end] as const;
    places.add(() => `${place}: ${excerpt(shown, ...found)}`);
    at = lower.indexOf(wanted, isLong ? at + Math.max(wanted.length, contextChars) : end + 1);
  }
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

function findInValue(root: unknown, wanted: string, places: Places): void {
  const path: (string | number)[] = [];
  const visit = (value: unknown, isNamed: boolean): void => {
    if (places.isFull) return;
    const own = textOf(value);
    const at = own?.toLowerCase().indexOf(wanted) ?? -1;
    if (at !== -1 && own !== undefined) places.add(() => lineFor(path, excerpt(own, at, wanted.length)));
    else if (isNamed) places.add(() => lineFor(path, beginJson(value, contextChars).text));
    if (Array.isArray(value)) for (const [index, item] of value.entries()) visitIn(index, item, false);
    else if (isRecord(value))
      for (const key of Object.keys(value)) visitIn(key, value[key], key.toLowerCase().includes(wanted));
  };
  const visitIn = (place: string | number, value: unknown, isNamed: boolean): void => {
    path.push(place);
    visit(value, isNamed);
    path.pop();
  };
  visit(root, false);
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function lineFor(path: readonly (string | number)[], text: string): string {
  const steps = path.map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at > 0 ? '.' : ''}${named(step)}`));
  return shorten(`${steps.join('') || '@'}: ${text}`, longestPlace);
}

/** What was found with what stands around it, in one line. */
function excerpt(text: string, at: number, length: number, begin = 0, end = text.length): string {
  const from = Math.max(begin, at - contextChars);
  const to = Math.min(end, at + Math.min(length, longestPlace) + contextChars);
  const part = text.slice(from, to).replaceAll(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
  return `${from > begin ? '…' : ''}${part.replaceAll(/\s+/g, ' ').trim()}${to < end ? '…' : ''}`;
}
