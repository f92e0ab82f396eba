import { longestQuotedOutput, maxQuotedLines } from '../../../limits.js';
import { shorten } from '../../../text/shorten.js';
import { readDumps } from './read-dumps.js';

const separator = ' | ';
const words =
  /\b(?:\w*error|fatal|panic|exception|fail|failed|failure|cannot|can't|could not|unable|refused|denied|invalid|missing|required|unknown|must|not found|not set|timed out)\b/i;
/** A system error. */
const code = /\bE[A-Z]{4,}\b/;

/**
 * What the last lines of a server say, on one line: the message of a crash first, without frames and source lines; without
 * a crash, the last lines that sound like an error.
 */
export function summarizeOutput(lines: readonly string[]): string {
  const { messages, others } = readDumps(lines);
  if (messages.length > 0) return joined([...messages, ...lastOf(others)]);
  // Nothing but noise is still more than nothing.
  const rest = others.length > 0 ? others : lines.map((line) => line.trim());
  const end = rest.findLastIndex(soundsLikeError) + 1;
  if (end === 0) return joined(thatFit(lastOf(rest)));
  // The first of several in a row names the cause, the others explain it. A long help may follow.
  const first = rest.findLastIndex((line, at) => at < end && !soundsLikeError(line)) + 1;
  return joined([rest.slice(first, end), rest.slice(end), rest.slice(0, first)].flatMap(lastOf));
}

function lastOf(lines: readonly string[]): readonly string[] {
  return lines.slice(-maxQuotedLines);
}

function soundsLikeError(line: string): boolean {
  return words.test(line) || code.test(line);
}

/** The last lines that fit: the newest matter most. */
function thatFit(lines: readonly string[]): readonly string[] {
  let room = longestQuotedOutput + separator.length;
  const first = lines.findLastIndex((line) => {
    room -= line.length + separator.length;
    return room < 0;
  });
  return lines.slice(Math.min(first + 1, lines.length - 1));
}

/** Each line once: a server that retries writes the same again and again. */
function joined(lines: readonly string[]): string {
  return shorten([...new Set(lines)].join(separator).replaceAll('\t', ' '), longestQuotedOutput);
}
