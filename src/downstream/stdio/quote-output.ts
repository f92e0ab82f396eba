import { longestQuotedOutput, maxQuotedLines } from '../../limits.js';
import { loadPart } from '../../platform/load-part.js';
import { shorten } from '../../text/shorten.js';

/** What the last lines of a server say, on one line. Undefined if there are none. */
export async function quoteOutput(lines: readonly string[]): Promise<string | undefined> {
  if (lines.length === 0) return undefined;
  try {
    const { summarizeOutput } = await loadPart(() => import('./dumps/summarize-output.js'));
    return summarizeOutput(lines);
  } catch {
    // There may be no descriptor left to load the part with, and the failure must be reported all the same.
    const last = lines.slice(-maxQuotedLines).map((line) => line.trim());
    return shorten(last.join(' | '), longestQuotedOutput);
  }
}
