import type { CallToolResult, ResultOptions } from '../../contract/types.js';
import { longestMessageToAgent, responseOverheadBytes } from '../../limits.js';
import { type Content, contentOf, otherBlocks } from '../value.js';
import { measure, type ShownLimit } from './measure.js';
import type { Source } from './notes.js';
import { type ShownText, selectIn, shownText } from './shown-text.js';

/** What is asked of a result, and how much of it the client shows. */
export interface Wanted {
  readonly options: ResultOptions;
  /** Undefined: as much as a message may have. */
  readonly limit: ShownLimit | undefined;
}

/** Below this no text gets shorter, whatever else is in the result. */
const leastRoom = 500;
const leastStep = 100;
const mostTries = 12;
const noLimit: ShownLimit = {
  chars: longestMessageToAgent - responseOverheadBytes,
  counts: 'json',
  inBytes: true,
};
/** Of a command; an expression can make more text than there is memory. */
const longestOfCommand = 64_000_000;

/** Undefined if the result is to be sent as it is. */
export function answerFrom(
  result: CallToolResult,
  { options, limit }: Wanted,
): ((source: Source) => CallToolResult) | undefined {
  const { select, find, max, of } = options;
  const isError = result.isError === true;
  // What went wrong matters more than what was wanted. A kept error was read before: then a part of it is wanted.
  const isUnread = isError && of === undefined;
  const used = isUnread ? {} : options;
  const shown = isUnread ? limit : tighter(limit, max);
  const asks = !isUnread && (select ?? find) !== undefined;
  const pages = used.from !== undefined;
  if (!asks && !pages && (shown === undefined || measure(result, shown) <= shown.chars)) return undefined;
  const content = isError ? errorText(result) : knownContent(result);
  // All of it is in other blocks, such as an embedded resource, which stay as they are.
  if (!asks && !pages && content.isText && content.value === '') return undefined;
  const selected = asks && select !== undefined ? selectIn(content, select) : undefined;
  const because = reasonOf(limit, shown);
  const chars = sizeOf(result);
  // An agent that reads a kept result has the other blocks already.
  const others = of === undefined || !(asks || pages) ? otherBlocks(result) : [];
  return (source) => {
    const show = (room: number) => shownText(content, { options: used, selected, room, source, chars, because });
    return fitTo(limit ?? noLimit, shown?.chars, show, (text) => asResult(result, text, others));
  };
}

function sizeOf(result: CallToolResult): number {
  return measure(result, { counts: result.structuredContent === undefined ? 'text' : 'structured', chars: 0 });
}

function reasonOf(byClient: ShownLimit | undefined, shown: ShownLimit | undefined): string {
  if (shown !== byClient) return 'more than "max"';
  return byClient?.isConfigured ? 'more than resultBudgetChars in the configuration' : 'more than this client shows';
}

/** A part of a result, for a person. */
export interface ResultPart {
  readonly result: CallToolResult;
  /** What there is to say about it. */
  readonly note?: string | undefined;
  /** What was asked for is not there; the note says why. */
  readonly isMissing: boolean;
}

/** The part of a result that a command of ours asks for. */
export function partOf(result: CallToolResult, options: ResultOptions): ResultPart {
  if (result.isError === true) return { result, isMissing: false };
  const { select, max = longestOfCommand } = options;
  const content = knownContent(result);
  const selected = select === undefined ? undefined : selectIn(content, select);
  const showing = { options, selected, room: Math.min(max, longestOfCommand), because: 'more than "max"' };
  const chars = sizeOf(result);
  const shown = shownText(content, { ...showing, source: { kind: 'command' }, chars });
  const { text, note = '', instead } = shown;
  const isMissing = instead !== undefined;
  if (instead === 'nothing') return { result: { ...result, content: [] }, note: `${text}${note}`, isMissing };
  return { result: asResult(result, { text }, otherBlocks(result)), note: note === '' ? undefined : note, isMissing };
}

/** `max` counts the text alone; the note with the next call comes on top. */
function tighter(limit: ShownLimit | undefined, max: number | undefined): ShownLimit | undefined {
  if (max === undefined || (limit !== undefined && max >= limit.chars)) return limit;
  return { counts: 'both', ...limit, chars: max };
}

/** An answer with as much text as fits: what surrounds it, and how its characters are counted, is known when it is made. */
function fitTo(
  limit: ShownLimit,
  most: number | undefined,
  show: (room: number) => ShownText,
  answerWith: (text: ShownText) => CallToolResult,
): CallToolResult {
  // What surrounds the text may be too large alone, and stays: the client cuts it, and shows about the first half.
  const isHopeless = measure(answerWith({ text: '' }), limit) > limit.chars - leastRoom;
  const allowed = isHopeless ? Math.floor(limit.chars / 2) : limit.chars;
  let room = Math.min(most ?? allowed, allowed);
  let shown = show(room);
  for (let tries = 1; tries < mostTries && room > leastRoom; tries++) {
    const size = measure(isHopeless ? asResult({}, shown, []) : answerWith(shown), limit);
    if (size <= allowed) break;
    // What was written may be much shorter than it could be, and is not always counted in characters.
    const { text } = shown;
    const written = Math.min(room, text.length);
    const sizePerChar = measure(asResult({}, { text }, []), limit) / Math.max(text.length, 1);
    room = Math.max(leastRoom, Math.floor(written - Math.max((size - allowed) / sizePerChar, leastStep)));
    shown = show(room);
  }
  return answerWith(shown);
}

function asResult(
  result: CallToolResult,
  { text, note }: ShownText,
  others: NonNullable<CallToolResult['content']>,
): CallToolResult {
  // Some clients would show the structured content instead of the text.
  const { content: _, structuredContent: __, ...rest } = result;
  const texts = [text, ...(note === undefined ? [] : [note])].map((one) => ({ type: 'text', text: one }));
  return { content: [...texts, ...others], ...rest };
}

/** While a result is in use: parsing it takes longer than anything else. */
const contents = new WeakMap<CallToolResult, Content>();

function knownContent(result: CallToolResult): Content {
  const content = contents.get(result) ?? contentOf(result);
  contents.set(result, content);
  return content;
}

/** All of it is text, also if it is JSON. */
function errorText({ content, structuredContent }: CallToolResult): Content {
  const blocks = Array.isArray(content) ? content : [];
  const value = blocks
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
    .join('\n');
  return { isText: true, value: value === '' ? (JSON.stringify(structuredContent) ?? '') : value };
}
