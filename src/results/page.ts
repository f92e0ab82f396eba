import { outlineValue } from './outline.js';
import { beginJson, writeJson } from './select/write.js';

/** A part of a value that fits, and what comes after it. */
export interface Page {
  /** At most `max` characters. */
  readonly text: string;
  /** `items` of a list, `characters` of anything else. */
  readonly unit: 'items' | 'characters';
  /** How many there are in all; undefined if the end was not reached. */
  readonly total: number | undefined;
  /** How many are in this page: none past the end, and none if one item does not fit. */
  readonly count: number;
  /** Where the next page begins; undefined after the last. */
  readonly next: number | undefined;
  /** The index of an item that is larger than a page: `text` is its outline, and the rest is to be selected with this index. */
  readonly largeItem: number | undefined;
}

/**
 * A page of JSON: of a list as many whole items as fit, from the item `from` on; of anything else the characters of its compact
 * JSON. Throws a SelectFault if the value is nested more than 200 levels deep.
 */
export function pageOfValue(value: unknown, from: number, max: number): Page {
  if (Array.isArray(value)) return pageOfList(value, from, max);
  // One more before it and two behind: to see that something follows, and so that the first and last characters are whole.
  const begin = Math.min(Math.max(from - 1, 0), Number.MAX_SAFE_INTEGER);
  const { text, isWhole, skipped } = beginJson(value, max + 3, begin);
  const { total = 0, next, ...page } = pageOfText(text, from - begin, max);
  return {
    ...page,
    total: isWhole ? skipped + total : undefined,
    next: next === undefined ? undefined : begin + next,
  };
}

function pageOfList(items: readonly unknown[], from: number, max: number): Page {
  const pieces: string[] = [];
  let room = max - '[]'.length;
  for (let at = from; at < items.length; at++) {
    const piece = writeJson(items[at], room);
    if (piece === undefined) break;
    pieces.push(piece);
    room -= piece.length + ','.length;
  }
  const count = pieces.length;
  const isLarge = count === 0 && from < items.length;
  const next = from + (isLarge ? 1 : count);
  return {
    text: isLarge ? outlineValue(items[from], max) : `[${pieces.join(',')}]`,
    unit: 'items',
    total: items.length,
    count,
    next: next < items.length ? next : undefined,
    largeItem: isLarge ? from : undefined,
  };
}

/** A page of text: characters from `from` on. Pages joined are the text; surrogate pairs stay together. */
export function pageOfText(text: string, from: number, max: number): Page {
  const begin = isInPair(text, from) ? from - 1 : from;
  const end = Math.min(begin + max, text.length);
  if (!isInPair(text, end)) return textPage(text, begin, end);
  // A pair alone is a page even if only one half of it fits.
  return textPage(text, begin, end - 1 > begin ? end - 1 : end + 1);
}

/** The beginning of a text up to a line end, or inside of a line that is longer than half of `max`. */
export function beginningOf(text: string, max: number): Page {
  const end = text.length <= max ? text.length : text.lastIndexOf('\n', max - 1) + 1;
  return end > max / 2 || end === text.length ? textPage(text, 0, end) : pageOfText(text, 0, max);
}

function textPage(text: string, begin: number, end: number): Page {
  return {
    text: text.slice(begin, end),
    unit: 'characters',
    total: text.length,
    count: Math.max(end - begin, 0),
    next: end < text.length && begin < text.length ? end : undefined,
    largeItem: undefined,
  };
}

function isInPair(text: string, at: number): boolean {
  return isHalf(text, at - 1, 0xd800) && isHalf(text, at, 0xdc00);
}

function isHalf(text: string, at: number, first: number): boolean {
  const code = text.charCodeAt(at);
  return code >= first && code < first + 0x400;
}
