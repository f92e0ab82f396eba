const head = Buffer.from('{"result":');
const tail = Buffer.from(',"jsonrpc":"2.0","id":');
const plainHead = Buffer.from('{"jsonrpc":"2.0","id":');
const plainMiddle = Buffer.from(',"result":');
/** `tail`, the largest id and a brace. */
const longestTail = 48;
const longestId = 16;

/** Up to here, a text costs less than a write of several pieces. */
const longestText = 4_096;

/** A response with a result: its id, and the result as it came. */
export interface ResultLine {
  readonly id: number;
  readonly result: readonly (Buffer | string)[];
}

/**
 * Reads a line of the host that has a result, without parsing the result: the id stands at the head or at the tail of the line, because
 * the host writes it there. Undefined for any other line.
 */
export function readResultLine(pieces: readonly Buffer[]): ResultLine | undefined {
  const [first, second] = pieces;
  if (first === undefined) return undefined;
  // A piece that is too short to be looked at is joined with the next one.
  if (second !== undefined && first.length < 64) {
    return readResultLine([Buffer.concat([first, second]), ...pieces.slice(2)]);
  }
  if (hasAt(first, 0, plainHead)) return readPlain(first, pieces);
  return hasAt(first, 0, head) ? readTail(pieces) : undefined;
}

/** Byte by byte: this is done for every call, and a text and a regular expression cost more than the rest of it. */
function readPlain(first: Buffer, pieces: readonly Buffer[]): ResultLine | undefined {
  const start = plainHead.length;
  let end = start;
  let id = 0;
  for (let byte = digitAt(first, end); byte !== undefined; byte = digitAt(first, ++end)) id = id * 10 + byte;
  if (end === start || end - start > longestId || !hasAt(first, end, plainMiddle)) return undefined;
  const from = end + plainMiddle.length;
  // The host has written such a line from a text, so that nothing is lost by reading one.
  const isText = pieces.length === 1 && first.length <= longestText;
  return { id, result: isText ? [first.toString('utf8', from, first.length - 1)] : without(pieces, from, 1) };
}

function digitAt(bytes: Buffer, at: number): number | undefined {
  const digit = (bytes[at] ?? 0) - 0x30;
  return digit >= 0 && digit <= 9 ? digit : undefined;
}

function hasAt(bytes: Buffer, at: number, expected: Buffer): boolean {
  for (let index = 0; index < expected.length; index++) if (bytes[at + index] !== expected[index]) return false;
  return true;
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
