import type { ResultOptions } from '../../contract/types.js';
import { shorten } from '../../text/shorten.js';
import { findIn } from '../find.js';
import { longestBeginning } from '../limits.js';
import { firstItem, outlineValue } from '../outline.js';
import { beginningOf, type Page, pageOfText, pageOfValue } from '../page.js';
import { evaluate } from '../select/evaluate.js';
import { isSelectFault } from '../select/fault.js';
import { parseExpression } from '../select/parse.js';
import { writeJson } from '../select/write.js';
import type { Content } from '../value.js';
import { grouped, offerAll, offerNext, type Source } from './notes.js';

/** What is read instead of a whole result. */
export interface ShownText {
  readonly text: string;
  /** Begins with a line feed: some clients join blocks without one. */
  readonly note?: string | undefined;
  /** What was asked for is not there. `text`: the whole result is shown. `nothing`: only words of ours are. */
  readonly instead?: 'text' | 'nothing';
}

/** What `select` gives: evaluated once, however often its text is made. */
export type Selected = { readonly value: unknown } | { readonly fault: string };

/** `room`: the characters that the text may have. */
export interface Showing {
  readonly options: ResultOptions;
  readonly selected?: Selected | undefined;
  readonly room: number;
  readonly source: Source;
  /** Characters of the whole result. */
  readonly chars: number;
  /** Why not all is shown: `more than this client shows`. */
  readonly because: string;
}

/** The part of a value that was asked for, or what fits of it. */
export function shownText(content: Content, showing: Showing): ShownText {
  const { find, from } = showing.options;
  if (find !== undefined) return places(content, find, showing);
  if (showing.selected !== undefined) return selection(content, showing.selected, showing);
  if (from === undefined) return content.isText ? textBeginning(content.value, showing) : whole(content, showing);
  return paged(pageOf(content, from, showing.room), showing);
}

function pageOf({ isText, value }: Content, from: number, room: number): Page {
  return isText ? pageOfText(value, from, room) : pageOfValue(value, from, room);
}

function noted(text: string, ...notes: readonly (string | undefined)[]): ShownText {
  const note = notes.filter((one) => one !== undefined && one !== '').join('\n');
  return { text, note: note === '' ? undefined : `\n${note}` };
}

function textBeginning(text: string, showing: Showing): ShownText {
  if (text.length <= showing.room) return { text };
  const { source, room } = showing;
  const { max } = showing.options;
  const page = beginningOf(text, max === undefined ? Math.min(Math.floor(room / 4), longestBeginning) : room);
  const why = `The first ${grouped(page.count)} of ${grouped(text.length)} characters, ${showing.because}.`;
  const rest = { from: page.next ?? page.count, ...(max !== undefined && { max }) };
  if (source.kind !== 'kept') return noted(page.text, offerAll(why, source, true));
  return noted(page.text, `${offerNext(`${why} Kept; the call is not made again.`, source, rest)} Search: …"find":"…"`);
}

function whole(content: Content, showing: Showing): ShownText {
  const compact = writeJson(content.value, showing.room);
  if (compact !== undefined) return { text: compact };
  return noted(
    outlined(content, showing),
    offerAll(`${grouped(showing.chars)} characters, ${showing.because}.`, showing.source, false),
  );
}

function outlined({ value }: Content, { room }: Showing): string {
  const outline = outlineValue(value, room);
  const left = room - outline.length - longestLabel;
  const first = left < 100 ? undefined : firstItem(value, Math.min(longestFirstItem, left));
  if (first === undefined) return outline;
  return `${outline}\n${first.path === '[0]' ? 'Its first item' : first.path}, shortened: ${first.text}`;
}

const longestLabel = 80;
const longestFirstItem = 600;

export function selectIn({ isText, value }: Content, expression: string): Selected {
  if (isText) return { fault: 'the result is text, not JSON' };
  return orFault(() => evaluate(parseExpression(expression), value));
}

function orFault<T>(work: () => T): { readonly value: T } | { readonly fault: string } {
  try {
    return { value: work() };
  } catch (error) {
    if (!isSelectFault(error)) throw error;
    return { fault: error.message };
  }
}

function selection(content: Content, selected: Selected, showing: Showing): ShownText {
  const { source, options, room } = showing;
  const page = 'fault' in selected ? selected : orFault(() => pageOfValue(selected.value, options.from ?? 0, room));
  if ('fault' in page) return unselected(content, `select was not applied: ${page.fault}.`, showing);
  if ('value' in selected && !isNothing(selected.value)) return paged(page.value, showing);
  const outline = outlineValue(content.value, room);
  return noted(
    page.value.text,
    `Nothing is there. The result is: ${outline}`,
    offerAll(sizeOf(showing), source, false),
  );
}

function unselected(content: Content, fault: string, showing: Showing): ShownText {
  if (content.isText) {
    const { select: _, ...options } = showing.options;
    const { text, note = '' } = shownText(content, { ...showing, options, selected: undefined });
    return { ...noted(text, fault, note.slice(1)), instead: 'text' };
  }
  const text = `${fault}\n${outlined(content, { ...showing, room: showing.room - fault.length - 1 })}`;
  return { ...noted(text, offerAll(sizeOf(showing), showing.source, false)), instead: 'nothing' };
}

function sizeOf({ chars }: Showing): string {
  return `${grouped(chars)} characters.`;
}

function isNothing(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

function paged(page: Page, { options, source, because }: Showing): ShownText {
  const { text, unit, total, count, next, largeItem } = page;
  const { from = 0, select } = options;
  const what = unit === 'items' ? 'Items' : 'Characters';
  const max = options.max === undefined ? {} : { max: options.max };
  const rest = next === undefined ? undefined : { ...(select !== undefined && { select }), from: next, ...max };
  const all = total === undefined ? '' : ` of ${grouped(total)}`;
  if (largeItem !== undefined) {
    const inItem = { select: select === undefined ? `[${largeItem}]` : `${select} | [${largeItem}]` };
    const large = `Item ${largeItem}${all} is shown as an outline: it is ${because}.`;
    const after = rest && source.kind === 'kept' ? offerNext('The items after it.', source, rest) : undefined;
    return noted(text, offerNext(large, source, inItem), after);
  }
  if (from > 0 && count === 0)
    return noted(text, total ? `${what} 0 to ${grouped(total - 1)} are there.` : 'There are none.');
  const shown = `${what} ${grouped(from)} to ${grouped(from + count - 1)}${all}.`;
  if (rest !== undefined) return noted(text, offerNext(shown, source, rest));
  return from > 0 ? noted(text, shown) : { text };
}

const longestShownFind = 200;

function places(content: Content, find: string, showing: Showing): ShownText {
  const { room, source } = showing;
  const { lines, count } = findIn(content, find, room);
  const size = sizeOf(showing);
  if (count === 0) {
    const outline = content.isText ? undefined : `The result is: ${outlineValue(content.value)}`;
    const text = `${JSON.stringify(shorten(find, longestShownFind))} does not occur.`;
    return {
      ...noted('No place.', text, outline, offerAll(size, source, content.isText)),
      instead: 'nothing',
    };
  }
  const shown = count > lines.length ? `${grouped(count)} places, ${lines.length} are shown.` : undefined;
  return noted(lines.join('\n'), [shown, offerAll(size, source, content.isText)].filter(Boolean).join(' '));
}
