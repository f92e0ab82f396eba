import type { IncomingMessage } from 'node:http';
import { type Bounds, maxBodyBytes } from './limits.js';
import type { Refusal } from './refusal.js';
import type { Ticking, Ticks } from './ticks.js';

interface BodyLimits {
  readonly ticks: Ticks;
  readonly bounds: Pick<Bounds, 'bodyTimeoutMs'>;
}

const tooLarge: Refusal = { status: 413, closes: true };

/** Reads the body of a request. `done` is called once: with the body, or with why there is none; undefined: the client has gone. */
export function readBody(
  request: IncomingMessage,
  { ticks, bounds: { bodyTimeoutMs } }: BodyLimits,
  done: (body: Buffer | Refusal | undefined) => void,
): void {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > maxBodyBytes) return done(tooLarge);
  let chunks: Buffer[] = [];
  let size = 0;
  const begun = performance.now();
  const slow: Ticking = {
    tick(now) {
      if (now - begun > bodyTimeoutMs) finish({ status: 408, closes: true });
    },
  };

  function stop(): void {
    ticks.delete(slow);
    request.off('data', take);
    request.off('end', end);
    request.off('close', gone);
  }

  function finish(result: Buffer | Refusal | undefined): void {
    stop();
    done(result);
  }

  function gone(): void {
    finish(undefined);
  }

  function take(chunk: Buffer): void {
    size += chunk.length;
    if (size <= maxBodyBytes) {
      chunks.push(chunk);
      return;
    }
    chunks = [];
    finish(tooLarge);
    // What still comes is dropped until the answer has been sent and the connection closed.
    request.resume();
  }

  function end(): void {
    const [only] = chunks;
    finish(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, size));
  }

  ticks.add(slow);
  request.on('data', take);
  request.on('end', end);
  request.on('close', gone);
}
