const head = Buffer.from('{"result":');
const tail = Buffer.from(',"jsonrpc":"2.0","id":');
const plainHead = /^\{"jsonrpc":"2\.0","id":(\d{1,16}),"result":/;
/** `tail`, the largest id and a brace. */
const longestTail = 48;

/** A response with a result: its id, and the bytes of the result as they came. */
export interface ResultLine {
  readonly id: number;
  readonly result: readonly Buffer[];
}

/**
 * Reads a line of the host that has a result, without parsing the result: the id stands at the head or at the tail of the line, because
 * the host writes it there. Undefined for any other line.
 */
export function readResultLine(pieces: readonly Buffer[]): ResultLine | undefined {
  const [first, ...others] = pieces;
  if (first === undefined) return undefined;
  // A piece that is too short to be looked at is joined with the next one.
  if (others[0] !== undefined && first.length < 64) {
    return readResultLine([Buffer.concat([first, others[0]]), ...others.slice(1)]);
  }
  const plain = plainHead.exec(first.toString('latin1', 0, 64));
  if (plain !== null) {
    return { id: Number(plain[1]), result: without(pieces, plain[0].length, 1) };
  }
  return first.subarray(0, head.length).equals(head) ? readTail(pieces) : undefined;
}

function readTail(pieces: readonly Buffer[]): ResultLine | undefined {
  const last = pieces.at(-1);
  if (last !== undefined && last.length < longestTail && pieces.length > 1) {
    return readTail([...pieces.slice(0, -2), Buffer.concat(pieces.slice(-2))]);
  }
  const end = last?.subarray(-longestTail) ?? Buffer.alloc(0);
  // A text in the result cannot contain it: its quotes would be escaped.
  const at = end.lastIndexOf(tail);
  const id = Number(end.toString('latin1', at + tail.length, end.length - 1));
  if (at === -1 || !Number.isSafeInteger(id)) return undefined;
  return { id, result: without(pieces, head.length, end.length - at) };
}

/** The same bytes without so many at the front and at the back; the first and the last piece have them. */
function without(pieces: readonly Buffer[], front: number, back: number): Buffer[] {
  const cut = pieces.map((piece, index) => (index === 0 ? piece.subarray(front) : piece));
  const last = cut.at(-1);
  return last === undefined ? cut : [...cut.slice(0, -1), last.subarray(0, last.length - back)];
}
