import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, Transform, type TransformCallback } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/** What servers may send. */
export const acceptedEncodings = 'gzip, deflate, br';

type CreateDecoder = (firstChunk: Buffer) => Transform;

const decoders: Readonly<Record<string, CreateDecoder>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  br: () => createBrotliDecompress(),
  // Some servers leave out the header of zlib, whose low four bits are always 8.
  deflate: ([first = 0]) => ((first & 15) === 8 ? createInflate() : createInflateRaw()),
};

/** The body as the server wrote it before compression. Undefined if its encoding is unknown. */
export function decodeBody(response: IncomingMessage, failed: (cause: Error) => Error): Readable | undefined {
  const encoding = (response.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return response;
  const create = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
  if (create === undefined) return undefined;
  return pipeline(response, new Decoder(create, failed), () => {
    // The error is on the decoder, which is what the caller reads.
  });
}

/** Makes its decoder when the first bytes come: which one may depend on them, and a body without any is empty, not truncated. */
class Decoder extends Transform {
  private readonly create: CreateDecoder;
  private readonly failed: (cause: Error) => Error;
  private decoder: Transform | undefined;

  constructor(create: CreateDecoder, failed: (cause: Error) => Error) {
    super();
    this.create = create;
    this.failed = failed;
    // The error of an unread body must not end the process.
    this.on('error', () => {});
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.decoder ??= this.start(chunk);
    // Its error has an event as well.
    this.decoder.write(chunk, (error) => error ?? done());
  }

  override _flush(done: TransformCallback): void {
    if (this.decoder === undefined) return done();
    this.decoder.once('end', () => done());
    this.decoder.end();
  }

  override _read(size: number): void {
    // oxlint-disable-next-line no-underscore-dangle -- a name of Node.js
    super._read(size);
    this.decoder?.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.decoder?.destroy();
    done(error);
  }

  private start(chunk: Buffer): Transform {
    const decoder = this.create(chunk);
    // A small body may become a huge one: it stays in the decoder until it is read.
    decoder.on('data', (decoded: Buffer) => {
      if (!this.push(decoded)) decoder.pause();
    });
    decoder.on('error', (error) => this.destroy(this.failed(error)));
    return decoder;
  }
}
