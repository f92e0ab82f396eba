import {
  isBacktrace,
  isCaret,
  isCausedBy,
  isChainLink,
  isClosing,
  isException,
  isFrame,
  isGoFrame,
  isGoroutine,
  isGroupMember,
  isIndented,
  isNoise,
  isNumberedSource,
  isOpening,
  isPanic,
  isPosition,
  isRustPanic,
  isTraceback,
  isUnhandled,
  messageIn,
  rustMessage,
  withoutBar,
} from './dump-lines.js';

/** The message of an exception may have so many lines before the first frame. */
const longestMessageLines = 10;

interface Kept {
  readonly text: string;
  /** `nested`: of an exception that led to another. `chained`: the one before it led to this. */
  readonly is: 'line' | 'message' | 'nested' | 'chained';
}

/**
 * - `text`: outside of a dump
 * - `message`: the next line is the message of a dump
 * - `traceback`: the next line that is not indented is the message (Python)
 * - `frames`: after a frame; what is indented are properties of the error, or the message of an exception that led to it
 * - `calls`: the calls of a goroutine or a numbered backtrace
 */
type Place = 'text' | 'message' | 'traceback' | 'frames' | 'calls';

/** What crash dumps say. */
export interface Dumps {
  /** The message of the last one, then those of exceptions that led to it. */
  readonly messages: readonly string[];
  /** The lines that belong to no dump, in their order. */
  readonly others: readonly string[];
}

/** Reads crash dumps of Node.js, Bun, Python, Go, Java, .NET, Rust, Ruby and PHP among other lines, in one pass. */
export function readDumps(lines: readonly string[]): Dumps {
  const kept: Kept[] = [];
  // The functions below change it too, which the compiler does not see.
  let place = 'text' as Place;
  let isChained = false;
  /** In `frames`: the previous line. It is a message if a frame follows. */
  let indented: string | undefined;

  function keep(line: string, is: Kept['is']): void {
    kept.push({ text: line, is: is === 'message' && isChained ? 'chained' : is });
    if (is === 'message') isChained = false;
    place = is === 'message' && isOpening(line) ? 'frames' : 'text';
  }

  function readFrame(): void {
    if (place !== 'frames') markMessage(kept);
    else if (indented !== undefined) kept.push({ text: indented, is: 'nested' });
    indented = undefined;
    place = 'frames';
  }

  for (const whole of lines) {
    const line = withoutBar(whole);
    if (isTraceback(line)) place = 'traceback';
    else if (isGroupMember(whole)) place = 'message';
    else if (isChainLink(line)) isChained = true;
    else if (isGoroutine(line) || isBacktrace(line)) place = 'calls';
    else if (place === 'traceback' && isIndented(line)) continue;
    else if (place === 'calls' && (isGoFrame(line) || isIndented(line))) continue;
    else if (isCaret(line)) place = dropSource(kept) ? 'message' : place;
    else if (isFrame(line)) readFrame();
    else if (isNoise(whole)) place = 'text';
    else if (isRustPanic(line)) {
      const message = rustMessage(line);
      if (message === undefined) place = 'message';
      else keep(message, 'message');
    } else if (isCausedBy(line)) keep(line, 'nested');
    else if (place === 'message' || place === 'traceback' || isPanic(line) || isUnhandled(line)) keep(line, 'message');
    else if (place === 'frames' && (isIndented(line) || isClosing(line))) indented = line;
    else keep(line, 'line');
  }
  return { messages: messagesOf(kept), others: kept.filter(({ is }) => is === 'line').map(({ text }) => text.trim()) };
}

/** A frame follows: the lines before it are the message of its exception, unless that was found already. */
function markMessage(kept: Kept[]): void {
  const recent = kept.slice(-longestMessageLines);
  const afterLast = recent.findLastIndex(({ is }) => is !== 'line') + 1;
  const found = recent.findLastIndex(({ text }, at) => at >= afterLast && isException(text));
  if (found === -1 && afterLast > 0) return;
  const at = kept.length - (found === -1 ? 1 : recent.length - found);
  const message = kept[at];
  if (message !== undefined) kept[at] = { ...message, is: 'message' };
}

/** Removes the source lines above a caret. False if the caret is not that of a runtime. */
function dropSource(kept: Kept[]): boolean {
  const source = kept.at(-1)?.text ?? '';
  if (isNumberedSource(source)) {
    while (isNumberedSource(kept.at(-1)?.text ?? '')) kept.pop();
    return true;
  }
  if (!isPosition(kept.at(-2)?.text ?? '')) return false;
  kept.splice(-2);
  return true;
}

function messagesOf(kept: readonly Kept[]): string[] {
  const last = kept.findLastIndex(({ is }) => is === 'message' || is === 'chained');
  const main = kept[last];
  const nested = kept.slice(last + 1).findLast(({ is }) => is === 'nested');
  const earlier = main?.is === 'chained' ? kept.slice(0, last).findLast(({ is }) => is === 'message') : undefined;
  return [main, nested, earlier].flatMap((found) => (found === undefined ? [] : [messageIn(found.text)]));
}
