import { longestSearchedLine, longestStderrLine, maxSearchedBytes, maxSearchedLines } from '../../limits.js';
import { printable } from '../../text/printable.js';
import { shorten } from '../../text/shorten.js';

/** More of a line is collected than is shown: a secret that is cut in two could not be masked. */
export const maxCollectedBytes = 6 * longestStderrLine;

/** The last lines that a server wrote, in bounded memory. */
export interface RecentLines {
  /** The line is kept as it is: a part of a larger buffer would keep all of that in memory. */
  add(line: Buffer): void;
  /** As text: readable, with secrets masked, still indented. `unfinished`: what came after the last line. */
  lines(unfinished?: Buffer): readonly string[];
}

export function createRecentLines(mask: (text: string, isCut?: boolean) => string): RecentLines {
  // As bytes: of millions of lines only these become text.
  const kept: Buffer[] = [];
  let bytes = 0;

  // Masked after it is readable: a secret may be written with invisible characters inside. Cut only then.
  const clean = (line: Buffer, isCut = line.length >= maxCollectedBytes) =>
    shorten(lastVersion(mask(printable(line.toString('utf8')), isCut)), longestSearchedLine);

  return {
    add(line) {
      kept.push(line);
      bytes += line.length;
      while (kept.length > maxSearchedLines || bytes > maxSearchedBytes) bytes -= kept.shift()?.length ?? 0;
    },
    lines(unfinished) {
      const lines = kept.map((line) => clean(line));
      if (unfinished !== undefined) lines.push(clean(unfinished, true));
      return lines.filter((line) => line.trim() !== '').slice(-maxSearchedLines);
    },
  };
}

/** Of a line that is written again and again, such as progress, what a terminal shows in the end. */
function lastVersion(text: string): string {
  const versions = text.split('\r');
  return versions.findLast((version) => version.trim() !== '')?.trimEnd() ?? '';
}
