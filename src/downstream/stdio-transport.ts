import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { ServerLimits } from '../config/config.js';
import { createLineReader } from '../framing.js';
import { DownstreamFailure } from '../workbench/downstream.js';
import type { Child, Exit } from './child.js';

const drainMs = 100;

/** The code of the answer that stands in for one that was too long to be read. */
export const tooLargeCode = -32_099;

export interface StdioTransport extends Transport {
  /** `pid` and `stderr` tell the SDK that this is a process, to be probed in place. */
  readonly pid: number;
  readonly stderr: null;
  /** Why the connection ended by itself; undefined while it lives and after a close of ours. */
  readonly failure: DownstreamFailure | undefined;
}

/** MCP over the pipes of a child process, one message a line. */
export function createStdioTransport(
  child: Child,
  limits: ServerLimits,
  mask: (text: string) => string,
): StdioTransport {
  let ended = false;
  let failure: DownstreamFailure | undefined;

  function end(): void {
    if (ended) return;
    ended = true;
    transport.onclose?.();
  }

  function breakDown(reason: DownstreamFailure): void {
    if (ended) return;
    failure = reason;
    end();
  }

  function receive(line: Buffer): void {
    if (ended) return;
    const message = parseMessage(line);
    if (message === undefined) {
      transport.onerror?.(new Error(`a line of ${line.length} bytes on its stdout is not a JSON-RPC message`));
      return;
    }
    transport.onmessage?.(message);
  }

  const transport: StdioTransport = {
    pid: child.pid,
    stderr: null,
    get failure() {
      return failure;
    },

    async start() {
      const read = createLineReader(limits.maxMessageBytes, {
        line: receive,
        tooLong(bytes, id) {
          const text = `its message of ${bytes} bytes is over maxMessageBytes (${limits.maxMessageBytes})`;
          transport.onerror?.(new Error(text));
          if (id !== undefined)
            transport.onmessage?.({ jsonrpc: '2.0', id, error: { code: tooLargeCode, message: text } });
        },
      });
      child.stdout.on('data', read);
      child.stdout.once('end', () => {
        // Usually the process is about to exit, and its exit tells more.
        void exitWithin(child.exited, 2 * drainMs).then((exit) => breakDown(ending(exit, child.lastWords(), mask)));
      });
      void child.exited.then(async (exit) => {
        // `exit`, not `close`: a helper of its may hold the pipe open. What it wrote last is still on its way, though.
        await Promise.race([streamEnd(child.stdout), timeout(drainMs)]);
        breakDown(ending(exit, child.lastWords(), mask));
      });
    },

    async send(message) {
      if (ended) throw failure ?? new DownstreamFailure('unreachable', 'its connection is closed');
      if (child.stdin.writableLength > limits.maxMessageBytes) {
        throw new DownstreamFailure('busy', 'it is busy: it does not read what was sent to it');
      }
      child.stdin.write(`${JSON.stringify(message)}\n`);
    },

    async close() {
      end();
      await child.close();
    },
  };
  return transport;
}

function parseMessage(line: Buffer): JSONRPCMessage | undefined {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    return isMessage(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isMessage(value: unknown): value is JSONRPCMessage {
  if (typeof value !== 'object' || value === null || !('jsonrpc' in value) || value.jsonrpc !== '2.0') return false;
  return 'method' in value
    ? typeof value.method === 'string'
    : 'id' in value && ('result' in value || 'error' in value);
}

function ending(exit: Exit | undefined, words: readonly string[], mask: (text: string) => string): DownstreamFailure {
  const how = describeExit(exit);
  const last = words.length === 0 ? '' : `; its last words on stderr: ${mask(words.join('\n'))}`;
  return new DownstreamFailure('crashed', `${how}${last}`);
}

function describeExit(exit: Exit | undefined): string {
  if (exit === undefined) return 'it closed its stdout';
  return exit.signal === null ? `it exited with code ${exit.code}` : `it was ended by ${exit.signal}`;
}

function exitWithin(exited: Promise<Exit>, limitMs: number): Promise<Exit | undefined> {
  return Promise.race([exited, timeout(limitMs)]);
}

function timeout(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms).unref();
  });
}

function streamEnd(stream: NodeJS.EventEmitter & { readonly readableEnded: boolean }): Promise<void> {
  if (stream.readableEnded) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once('end', () => resolve());
    stream.once('close', () => resolve());
  });
}
