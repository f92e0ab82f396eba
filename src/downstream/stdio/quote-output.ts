import { longestQuotedOutput, maxQuotedLines } from '../../limits.js';
import { resultWithin } from '../../platform/time-limit.js';
import { shorten } from '../../text/shorten.js';

// A failure is reported soon, also from a disk that does not respond.
const loadMs = 2_000;

/** What the last lines of a server say, on one line. Undefined if there are none. */
export async function quoteOutput(lines: readonly string[]): Promise<string | undefined> {
  if (lines.length === 0) return undefined;
  // There may be no descriptor left to load the part with; then the lines are quoted as they are.
  const part = await resultWithin(loadMs, import('./dumps/summarize-output.js')).catch(() => undefined);
  if (part !== undefined) return part.summarizeOutput(lines);
  const last = lines.slice(-maxQuotedLines).map((line) => line.trim());
  return shorten(last.join(' | '), longestQuotedOutput);
}
