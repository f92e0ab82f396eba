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
  const last = others.slice(-maxQuotedLines);
  if (messages.length > 0) return joined([...messages, ...last]);
  // Nothing but noise is still more than nothing.
  const rest = last.length > 0 ? last : lines.map((line) => line.trim()).slice(-maxQuotedLines);
  const end = rest.findLastIndex(soundsLikeError);
  if (end === -1) return joined(thatFit(rest));
  // The first of several in a row names the cause, the others explain it.
  const first = rest.findLastIndex((line, at) => at < end && !soundsLikeError(line)) + 1;
  return joined([...rest.slice(first), ...rest.slice(0, first)]);
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
