import { isUtf8 } from 'node:buffer';
import type { ServerLimits } from '../../config/config.js';
import { createBatchWriter } from '../../jsonrpc/batch-writer.js';
import { isRecord } from '../../jsonrpc/json.js';
import { createLineReader } from '../../jsonrpc/lines.js';
import { isRequestId, type RequestId, type RpcMessage } from '../../jsonrpc/messages.js';
import { withoutLongStrings } from '../../results/json-outline.js';
import { keptAsBytesFrom, readBytes } from '../../results/read-bytes.js';
import { DownstreamFailure, NotSent } from '../../workbench/ports/downstream.js';
import type { Child, Exit } from './child.js';

const drainMs = 200;
const maxBacklogBytes = 32 * 1024 * 1024;

/** What comes over a wire. */
export interface WireSink {
  /** `bytes` is the length of its line. */
  message(message: RpcMessage, bytes: number): void;
  /** A message was too large to be read and is lost; `id` is the one it carried, if any. */
  lost(id: RequestId | undefined, failure: DownstreamFailure): void;
  /** A line that is no message. */
  noise(bytes: number): void;
  /** The connection is over: by itself with a failure, by a close of ours without. Called once. */
  ended(failure: DownstreamFailure | undefined): void;
}

/** MCP over the pipes of a child process, one message a line. */
export interface Wire {
  readonly pid: number;
  start(sink: WireSink): void;
  /** Throws a DownstreamFailure if the message cannot be sent. */
  send(message: RpcMessage): void;
  close(): Promise<void>;
}

export function createWire(child: Child, limits: ServerLimits): Wire {
  const writer = createBatchWriter(child.stdin);
  let sink: WireSink | undefined;
  let over = false;
  let failure: DownstreamFailure | undefined;
  let hasExited = false;

  function end(reason: DownstreamFailure | undefined): void {
    if (over) return;
    over = true;
    failure = reason;
    sink?.ended(reason);
  }

  function receive(line: Buffer): void {
    if (over) return;
    const message = parseMessage(line);
    if (message === undefined) sink?.noise(line.length);
    else sink?.message(message, line.length);
  }

  const read = createLineReader(limits.maxMessageBytes, {
    line: receive,
    tooLong(bytes, id) {
      const limit = `maxMessageBytes (${limits.maxMessageBytes})`;
      sink?.lost(id, new DownstreamFailure('too-large', `its message of ${bytes} bytes is over the limit ${limit}`));
    },
  });

  async function watchExit(): Promise<void> {
    const exit = await child.exited;
    hasExited = true;
    // `exit`, not `close`: a helper of its may hold the pipe open. What it wrote last is still on its way, though.
    await Promise.race([Promise.all([child.stdoutEnded, child.stderrEnded]), pause(drainMs)]);
    end(ending(exit, child.lastWords()));
  }

  async function watchOutput(): Promise<void> {
    await child.stdoutEnded;
    // Usually the process is about to exit, and its exit tells more.
    end(ending(await Promise.race([child.exited, pause(drainMs)]), child.lastWords()));
  }

  return {
    pid: child.pid,

    start(to) {
      sink = to;
      child.stdout.on('data', read);
      void watchExit();
      void watchOutput();
    },

    send(message) {
      if (over) throw failure ?? new DownstreamFailure('cancelled', 'the workbench stopped it');
      if (hasExited) throw new NotSent('crashed', 'it has just ended');
      if (writer.backlog > maxBacklogBytes) {
        throw new DownstreamFailure('busy', 'it is busy: it does not read what was sent to it');
      }
      writer.write([`${JSON.stringify(message)}\n`]);
    },

    async close() {
      end(undefined);
      await child.close();
    },
  };
}

/** The one place that decides whether a result becomes objects or stays bytes. */
function parseMessage(line: Buffer): RpcMessage | undefined {
  try {
    return (line.length < keptAsBytesFrom ? undefined : messageInBytes(line)) ?? parsed(line.toString('utf8'));
  } catch {
    return undefined;
  }
}

function messageInBytes(line: Buffer): RpcMessage | undefined {
  // Strict clients would break on what decoding mends.
  const structure = isUtf8(line) ? withoutLongStrings(line) : undefined;
  const outline = structure === undefined ? undefined : parsed(structure);
  const result = outline && 'result' in outline ? readBytes(line, { ...outline }) : undefined;
  return outline && result && { ...outline, result };
}

function parsed(text: string): RpcMessage | undefined {
  const value: unknown = JSON.parse(text);
  return isMessage(value) ? value : undefined;
}

function isMessage(value: unknown): value is RpcMessage {
  if (!isRecord(value) || value['jsonrpc'] !== '2.0') return false;
  const { id, error } = value;
  if (typeof value['method'] === 'string') {
    return (id === undefined || isRequestId(id)) && (value['params'] === undefined || isRecord(value['params']));
  }
  if (!isRequestId(id)) return false;
  // Some servers write both, and null for the one that does not apply.
  if (error === undefined || error === null) return 'result' in value;
  return isRecord(error) && typeof error['code'] === 'number' && typeof error['message'] === 'string';
}

function ending(exit: Exit | undefined, words: readonly string[]): DownstreamFailure {
  const last = words.length === 0 ? '' : `; its last words on stderr: ${words.join(' | ')}`;
  return new DownstreamFailure('crashed', `${describeExit(exit)}${last}`);
}

function describeExit(exit: Exit | undefined): string {
  if (exit === undefined) return 'it closed its stdout';
  return exit.signal === null ? `it exited with code ${exit.code}` : `it was ended by ${exit.signal}`;
}

function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms).unref();
  });
}
