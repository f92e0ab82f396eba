import type { Readable } from 'node:stream';
import { longestQuotedStderrLine, longestStderrLine, maxQuotedStderrLines } from '../../limits.js';
import { shorten } from '../../text/shorten.js';

// More of a line is collected than is shown: a secret that is cut in two could not be masked.
const maxCollected = 2 * longestStderrLine;

/** The stderr output of a server: read immediately so that the server never blocks, with secrets masked, in bounded memory. */
export interface Stderr {
  /** The last lines, including an incomplete one. */
  lastLines(): readonly string[];
}

export function readStderr(
  stream: Readable,
  mask: (text: string, isCut?: boolean) => string,
  onLine: (line: string) => void,
): Stderr {
  let kept: readonly string[] = [];
  let rest = '';
  let dropping = false;

  const clean = (line: string, isCut: boolean) => shorten(mask(line, isCut).trimEnd(), longestStderrLine);
  const keep = (line: string) => [...kept, shorten(line, longestQuotedStderrLine)].slice(-maxQuotedStderrLines);

  function emit(line: string, isCut = false): void {
    const text = clean(line, isCut);
    if (text === '') return;
    kept = keep(text);
    onLine(text);
  }

  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const [first = '', ...others] = chunk.split('\n');
    if (!dropping) rest += first;
    for (const next of others) {
      if (!dropping) emit(rest);
      dropping = false;
      rest = next;
    }
    if (rest.length <= maxCollected) return;
    emit(rest, true);
    dropping = true;
    rest = '';
  });
  stream.on('error', () => {});
  return {
    lastLines() {
      const text = clean(rest, true);
      return text === '' ? kept : keep(text);
    },
  };
}
