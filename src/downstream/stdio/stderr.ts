import type { Readable } from 'node:stream';
import { shorten } from '../../text/shorten.js';

const longestLine = 2_000;
// More is gathered of a line than is shown: a secret that stands across the cut must be seen whole to be masked.
const gathered = 2 * longestLine;
const longestLastWord = 500;
const keptLines = 8;

/** What a server says on stderr: read at once so that it never blocks, cleaned of secrets, in bounded memory. */
export interface Stderr {
  lastWords(): readonly string[];
}

export function readStderr(stream: Readable, mask: (text: string) => string, onLine: (line: string) => void): Stderr {
  let kept: readonly string[] = [];
  let rest = '';
  let dropping = false;

  const clean = (line: string) => shorten(mask(line).trimEnd(), longestLine);
  const keep = (line: string) => [...kept, shorten(line, longestLastWord)].slice(-keptLines);

  function emit(line: string): void {
    const text = clean(line);
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
    if (rest.length <= gathered) return;
    emit(rest);
    dropping = true;
    rest = '';
  });
  stream.on('error', () => {});
  return {
    lastWords() {
      const text = clean(rest);
      return text === '' ? kept : keep(text);
    },
  };
}
