import { isRecord } from '../jsonrpc/json.js';
import { shorten } from '../text/shorten.js';
import { named } from './select/hint.js';
import { longestChoice, mergedShape, type Shape } from './shape.js';

const maxOutlineChars = 1_400;
const maxPreviewChars = 400;
const longestName = 60;
/** Strings with more characters are written with the length of the longest. */
const longString = 80;
const maxChoices = 4;

/** How much is shown, from most to least: the first that fits is taken. */
const details = [
  { levels: 8, keys: 60 },
  { levels: 5, keys: 40 },
  { levels: 4, keys: 40 },
  { levels: 3, keys: 40 },
  { levels: 2, keys: 40 },
  { levels: 3, keys: 12 },
  { levels: 2, keys: 12 },
  { levels: 1, keys: 40 },
  { levels: 1, keys: 12 },
  { levels: 1, keys: 4 },
] as const;

interface Detail {
  readonly levels: number;
  readonly keys: number;
}

/**
 * The structure of a JSON value in one line: types merged over the first 40 items of a list, up to four short strings as choices,
 * the length of long strings, links counted, an object of more than 30 like values as a table, less depth until it fits.
 */
export function outlineValue(value: unknown, maxChars: number = maxOutlineChars): string {
  const shape = mergedShape(value);
  const max = Math.min(maxChars, maxOutlineChars);
  let text = '';
  for (const detail of details) {
    text = written(shape, detail);
    if (text.length <= max) return text;
  }
  return shorten(text, max);
}

function written(shape: Shape, detail: Detail): string {
  const { lists, objects } = shape;
  const kinds = [
    shape.strings > 0 && strings(shape),
    shape.numbers > 0 && 'number',
    shape.booleans > 0 && 'boolean',
    lists.count > 0 && list(shape, detail),
    objects.count > 0 && object(shape, detail),
    shape.nulls > 0 && 'null',
  ].filter((kind) => kind !== false);
  return kinds.join('|') || '…';
}

function strings({ strings: count, choices, longest }: Shape): string {
  // Values that never repeat are no choices.
  if (longest <= longestChoice && choices.size <= maxChoices && count > choices.size && count > 2) {
    return [...choices]
      .toSorted()
      .map((choice) => JSON.stringify(choice))
      .join('|');
  }
  return longest > longString ? `string≤${longest}` : 'string';
}

function list({ lists }: Shape, detail: Detail): string {
  if (lists.most === 0) return '[]';
  const length = lists.least === lists.most ? lists.most : `≤${lists.most}`;
  return `[${length} × ${detail.levels === 0 ? '…' : written(lists.item(), detail)}]`;
}

function object({ objects }: Shape, detail: Detail): string {
  if (objects.most === 0) return '{}';
  if (detail.levels === 0) return '{…}';
  const inner = { levels: detail.levels - 1, keys: detail.keys };
  const table = objects.table();
  if (table !== undefined)
    return `{${objects.most} keys, such as ${table.names.map(shown).join(', ')}: ${written(table.value, inner)}}`;
  const entries = [...objects.keys];
  const links = entries.filter(([, shape]) => isLink(shape));
  const others = entries.filter(([, shape]) => !isLink(shape));
  const parts = others.slice(0, detail.keys).map(([key, shape]) => {
    return `${shown(key)}${shape.seen < objects.count ? '?' : ''}: ${written(shape, inner)}`;
  });
  if (others.length > detail.keys || objects.isCut) parts.push('…');
  return `{${[...parts, ...linked(links.map(([key]) => key))].join(', ')}}`;
}

function linked(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const few = names.slice(0, 2).map(shown).join(', ');
  return [`and ${names.length} ${names.length === 1 ? 'link' : 'links'}: ${few}${names.length > 2 ? ', …' : ''}`];
}

function isLink({ links, strings: count, seen, nulls }: Shape): boolean {
  return links > 0 && links === count && count + nulls === seen;
}

function shown(key: string): string {
  return shorten(named(shorten(key, longestName)), longestName);
}

export interface FirstItem {
  /** Where it is: `[0]`, or `items[0]` of the longest list in an object. */
  readonly path: string;
  /** Its JSON, with long strings and lists cut, marked by `…`. */
  readonly text: string;
}

/** The first item of a list, or of the longest list that is a value of an object; undefined if there is none. */
export function firstItem(value: unknown, maxChars: number = maxPreviewChars): FirstItem | undefined {
  if (Array.isArray(value))
    return value.length === 0 ? undefined : { path: '[0]', text: preview(value[0], maxChars, 0) };
  if (!isRecord(value)) return undefined;
  let longest: [string, readonly unknown[]] | undefined;
  for (const [key, each] of Object.entries(value)) {
    if (Array.isArray(each) && each.length > (longest?.[1].length ?? 0)) longest = [key, each];
  }
  if (longest === undefined) return undefined;
  return { path: `${shown(longest[0])}[0]`, text: preview(longest[1][0], maxChars, 0) };
}

const longestPreviewString = 60;
const maxInnerChars = 150;

function preview(value: unknown, room: number, level: number): string {
  if (typeof value === 'string')
    return JSON.stringify(shorten(value, Math.min(longestPreviewString, Math.floor(room / 6))));
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    if (level > 2 || room < 20) return '[…]';
    return `[${preview(value[0], Math.min(room, maxInnerChars) - 5, level + 1)}${value.length > 1 ? ', …' : ''}]`;
  }
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  const parts: string[] = [];
  let left = (level === 0 ? room : Math.min(room, maxInnerChars)) - '{, …}'.length;
  for (const key of level > 2 ? [] : Object.keys(value)) {
    const name = JSON.stringify(shorten(key, longestName));
    const part = `${name}:${preview(value[key], left - name.length - 1, level + 1)}`;
    if (part.length > left) break;
    parts.push(part);
    left -= part.length + 1;
  }
  const isCut = parts.length < Object.keys(value).length;
  return `{${parts.join(',')}${isCut ? `${parts.length > 0 ? ', ' : ''}…` : ''}}`;
}
