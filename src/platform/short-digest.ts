/**
 * SHA-256 of a short text, in hex. The same as that of Node's crypto module, which takes milliseconds to load: a front that only
 * looks for its host does not need it otherwise. Written in plain loops, because it runs once and is never optimized.
 */
export function shortDigest(text: string): string {
  const state = Uint32Array.from(fractions(8, Math.sqrt));
  const blocks = paddedBlocks(Buffer.from(text));
  const schedule = new DataView(new ArrayBuffer(256));
  for (let at = 0; at < blocks.length; at += 64) addBlock(state, scheduleOf(blocks, at, schedule));
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('');
}

/** The text, a one bit, zeros, and its length in bits: whole blocks of 64 bytes. */
function paddedBlocks(bytes: Buffer): Buffer {
  const blocks = Buffer.alloc(Math.ceil((bytes.length + 9) / 64) * 64);
  blocks.set(bytes);
  blocks[bytes.length] = 0x80;
  blocks.writeUInt32BE(bytes.length * 8, blocks.length - 4);
  return blocks;
}

/** 16 words of the text, and 48 made of them. */
function scheduleOf(blocks: Buffer, start: number, words: DataView): DataView {
  for (let at = 0; at < 64; at += 4) words.setUint32(at, blocks.readUInt32BE(start + at));
  for (let at = 64; at < 256; at += 4) {
    const early = words.getUint32(at - 60);
    const late = words.getUint32(at - 8);
    const mixed =
      (turn(early, 7) ^ turn(early, 18) ^ (early >>> 3)) + (turn(late, 17) ^ turn(late, 19) ^ (late >>> 10));
    words.setUint32(at, words.getUint32(at - 64) + words.getUint32(at - 28) + mixed);
  }
  return words;
}

function addBlock(state: Uint32Array, words: DataView): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  let at = 0;
  for (const constant of roundConstants) {
    const first = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + constant + words.getUint32(at);
    const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
    at += 4;
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    state[index] = (state[index] ?? 0) + word;
  });
}

function turn(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** The first 32 bits behind the point, of the roots of the first primes. */
function fractions(count: number, root: (prime: number) => number): number[] {
  const primes: number[] = [];
  for (let number = 2; primes.length < count; number++)
    if (primes.every((prime) => number % prime > 0)) primes.push(number);
  return primes.map((prime) => Math.floor((root(prime) % 1) * 2 ** 32));
}

const roundConstants = fractions(64, Math.cbrt);
