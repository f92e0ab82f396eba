import { createBatchWriter } from '../../jsonrpc/batch-writer.js';
import { createLineReader } from '../../jsonrpc/lines.js';
import { maxServerBacklogBytes } from '../../limits.js';
import { resultWithin, settlesWithin } from '../../platform/time-limit.js';
import { DownstreamFailure, NotSent } from '../../workbench/ports/downstream.js';
import { closedByUs } from '../protocol/failures.js';
import { parseMessage } from '../protocol/parse-message.js';
import type { Wire, WireSink } from '../protocol/wire.js';
import type { Child, Exit } from './child.js';

const drainMs = 200;
// Calls in flight fail within 500 ms of a crash.
const exitMs = 400;

/** MCP over the pipes of a child process, one message per line. */
export function createStdioWire(child: Child, maxMessageBytes: number): Wire {
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
    if (message === undefined) sink?.ignored(`ignored ${line.length} bytes on stdout: not a JSON-RPC message`);
    else sink?.message(message, line.length);
  }

  const read = createLineReader(maxMessageBytes, {
    line: receive,
    tooLong(bytes, id) {
      const limit = `maxMessageBytes (${maxMessageBytes})`;
      sink?.lost(id, new DownstreamFailure('too-large', `its message of ${bytes} bytes is over the limit ${limit}`));
    },
  });

  async function watchExit(): Promise<void> {
    const exit = await child.exited;
    hasExited = true;
    // `exit`, not `close`: a process it started may hold the pipe open. Its last output may still be on the way, though.
    await settlesWithin(drainMs, Promise.all([child.stdoutEnded, child.stderrEnded]));
    end(crash(exit, child.lastStderrLines()));
  }

  /** Undefined if the process is still running. */
  async function exitSoon(): Promise<Exit | undefined> {
    const exit = await resultWithin(exitMs, child.exited);
    // After a stall of this process the timer fires before the exit is seen; one more turn of the event loop shows it.
    return exit ?? Promise.race([child.exited, new Promise<undefined>((resolve) => setImmediate(resolve, undefined))]);
  }

  async function watchOutput(): Promise<void> {
    await child.stdoutEnded;
    // Usually the process is about to exit, and the exit code says more.
    end(crash(await exitSoon(), child.lastStderrLines()));
  }

  return {
    start(to) {
      sink = to;
      child.stdout.on('data', read);
      void watchExit();
      void watchOutput();
    },

    send(message) {
      if (over) throw failure ?? closedByUs();
      if (hasExited) throw new NotSent('crashed', 'it had already exited');
      if (writer.backlog > maxServerBacklogBytes) {
        throw new DownstreamFailure('busy', 'it is busy: it is not reading its stdin');
      }
      writer.write([`${JSON.stringify(message)}\n`]);
    },

    pause: () => void child.stdout.pause(),
    resume: () => void child.stdout.resume(),

    async close() {
      end(undefined);
      // Cancellations of this tick: they must not be lost with the end of stdin.
      writer.flush();
      await child.close();
    },
  };
}

function crash(exit: Exit | undefined, stderr: readonly string[]): DownstreamFailure {
  const last = stderr.length === 0 ? '' : `; last stderr output: ${stderr.join(' | ')}`;
  return new DownstreamFailure('crashed', `${describeExit(exit)}${last}`);
}

function describeExit(exit: Exit | undefined): string {
  if (exit === undefined) return 'it closed its stdout';
  return exit.signal === null ? `it exited with code ${exit.code}` : `it was killed by ${exit.signal}`;
}
