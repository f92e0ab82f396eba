const longestLine = 500;

/** The last lines of a stream, in bounded memory however much passes. */
export interface Tail {
  push(chunk: Buffer): void;
  lines(): readonly string[];
}

export function createTail(maxLines: number): Tail {
  let lines: string[] = [];
  let rest = '';
  return {
    push(chunk) {
      const pieces = (rest + chunk.toString('utf8')).split('\n');
      rest = (pieces.pop() ?? '').slice(-longestLine);
      const full = pieces.map((line) => line.trimEnd().slice(0, longestLine)).filter((line) => line !== '');
      lines = [...lines, ...full.slice(-maxLines)].slice(-maxLines);
    },
    lines: () => (rest.trim() === '' ? lines : [...lines, rest.trimEnd()].slice(-maxLines)),
  };
}
