import { lineOf } from '../jsonrpc/line-ends.js';
import type { RpcMessage } from '../jsonrpc/messages.js';
import { bytesOf, type Pieces } from './held-bytes.js';

/** The JSON of a message on one line, then `end`. A result held as bytes is not copied. Throws if it is longer than `maxBytes`. */
export function messagePieces(message: RpcMessage, maxBytes: number, end = ''): Pieces {
  const pieces = piecesOf(message, end);
  const bytes = lengthOf(pieces);
  if (bytes > maxBytes) throw new Error(`${bytes} bytes are over the limit ${maxBytes} (maxResultBytes)`);
  return pieces;
}

export function lengthOf(pieces: Pieces): number {
  return pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
}

function piecesOf(message: RpcMessage, end: string): Pieces {
  const bytes = 'result' in message ? bytesOf(message.result) : undefined;
  if (bytes === undefined || !('id' in message)) return [lineOf(message) + end];
  // No key in these bytes stands twice, so the id is ours for every client.
  return ['{"result":', ...bytes, `,"jsonrpc":"2.0","id":${lineOf(message.id)}}${end}`];
}
