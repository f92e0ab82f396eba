const newline = 0x0a;

/** Splits a stream into lines without copying them: each is given as the pieces in which it arrived. */
export function createPieceReader(onLine: (pieces: readonly Buffer[]) => void): (chunk: Buffer) => void {
  let pieces: Buffer[] = [];
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const line = pieces;
      line.push(chunk.subarray(start, end));
      pieces = [];
      start = end + 1;
      onLine(line);
    }
    if (start < chunk.length) pieces.push(start === 0 ? chunk : chunk.subarray(start));
  };
}
