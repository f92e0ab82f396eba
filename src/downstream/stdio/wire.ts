import { DownstreamFailure, NotSent } from '../../contract/downstream-failure.js';
import { createBatchWriter } from '../../jsonrpc/batch-writer.js';
import { createLineReader } from '../../jsonrpc/lines.js';
import { maxOtherMessageBytes, maxServerBacklogBytes } from '../../limits.js';
import { nextTurn } from '../../platform/slices.js';
import { resultWithin, settlesWithin } from '../../platform/time-limit.js';
import { closedByUs } from '../protocol/failures.js';
import { createGarbageLimit } from '../protocol/garbage-limit.js';
import type { Journal } from '../protocol/journal.js';
import { readInSlices, type SlicedReading } from '../protocol/read-in-slices.js';
import type { Wire, WireSink } from '../protocol/wire.js';
import type { Child, Exit } from './child.js';
import { quoteOutput } from './quote-output.js';
import { createRecentLines, maxCollectedBytes } from './recent-lines.js';

const drainMs = 200;
// Calls in flight fail within 500 ms of a crash.
const exitMs = 400;
export const wroteNothing = 'it wrote nothing to stderr';

/** MCP over the pipes of a child process, one message per line. */
export function createStdioWire(child: Child, maxMessageBytes: number, { mask, file }: Journal): Wire {
  const stray = createRecentLines(mask);
  const writer = createBatchWriter(child.stdin);
  let sink: WireSink | undefined;
  let over = false;
  let failure: DownstreamFailure | undefined;
  let hasExited = false;
  let reading: SlicedReading | undefined;
  let isPaused = false;
  let resumes = 0;
  let onResume = () => {};

  function end(reason: DownstreamFailure | undefined): void {
    if (over) return;
    over = true;
    failure = reason;
    sink?.ended(reason);
  }

  const garbage = createGarbageLimit();

  function receive(line: Buffer): void {
    if (over || sink === undefined || sink.line(line)) return;
    stray.add(Buffer.from(line.subarray(0, maxCollectedBytes)));
    sink.ignored(`ignored ${line.length} bytes on stdout: not a JSON-RPC message`);
    const lines = garbage.count();
    if (lines === undefined) return;
    const text = `it wrote ${lines} lines that are not JSON-RPC messages to its stdout in a minute`;
    end(new DownstreamFailure('crashed', text, { log: file }));
  }

  const read = createLineReader(Math.min(maxMessageBytes, maxOtherMessageBytes), {
    line: receive,
    maxBytes: () => Math.min(maxMessageBytes, sink?.maxBytes() ?? 0),
    keepsStart: () => sink?.keepsStart() ?? false,
    tooLong(bytes, id, method, start) {
      const text = `its message of ${bytes} bytes is over the limit maxMessageBytes (${maxMessageBytes})`;
      const reason = bytes > maxMessageBytes ? new DownstreamFailure('too-large', text) : undefined;
      sink?.lost(bytes, { id, isRequest: method !== undefined, start }, reason);
    },
  });

  async function watchExit(stdoutEnded: Promise<void>): Promise<void> {
    const exit = await child.exited;
    hasExited = true;
    // `exit`, not `close`: a process it started may hold the pipe open. Its last output may still be on the way, though.
    const before = resumes;
    await settlesWithin(drainMs, Promise.all([stdoutEnded, child.stderrEnded]));
    const again = () => void watchExit(stdoutEnded);
    // What was not read because of a pause is not lost.
    if (isPaused) onResume = again;
    else if (before !== resumes) again();
    else end(await crash(exit));
  }

  /** Undefined if the process is still running. */
  async function exitSoon(): Promise<Exit | undefined> {
    const exit = await resultWithin(exitMs, child.exited);
    // After a stall of this process the timer fires before the exit is seen; one more turn of the event loop shows it.
    return exit ?? Promise.race([child.exited, nextTurn().then(() => undefined)]);
  }

  async function watchOutput(stdoutEnded: Promise<void>): Promise<void> {
    await stdoutEnded;
    // Usually the process is about to exit, and the exit code says more.
    const exit = await exitSoon();
    // Why it exited may be in what is not read yet.
    if (exit !== undefined) await settlesWithin(drainMs, child.stderrEnded);
    end(await crash(exit));
  }

  /** Servers that write why they fail to stdout are not right, but many. */
  async function quoted(): Promise<{ readonly words?: string | undefined; readonly isStderr: boolean }> {
    const words = await quoteOutput(child.lastStderrLines());
    return words === undefined
      ? { words: await quoteOutput(stray.lines()), isStderr: false }
      : { words, isStderr: true };
  }

  async function crash(exit: Exit | undefined): Promise<DownstreamFailure> {
    const { words, isStderr } = await quoted();
    const last = words === undefined ? wroteNothing : `last ${isStderr ? 'stderr' : 'stdout'} output: ${words}`;
    return new DownstreamFailure('crashed', `${describeExit(exit)}; ${last}`, { log: file });
  }

  return {
    pid: child.pid,

    start(to) {
      sink = to;
      reading = readInSlices(child.stdout, (chunk, isOver) => (over ? chunk.length : read(chunk, isOver)));
      if (isPaused) reading.pause();
      void watchExit(reading.ended);
      void watchOutput(reading.ended);
    },

    send(message) {
      if (over) throw failure ?? closedByUs();
      if (hasExited) throw new NotSent('crashed', 'it had already exited');
      if (writer.backlog > maxServerBacklogBytes) {
        throw new DownstreamFailure('busy', 'it is busy: it is not reading its stdin');
      }
      const line = `${JSON.stringify(message)}\n`;
      writer.write(line);
      return Buffer.byteLength(line);
    },

    pause() {
      isPaused = true;
      reading?.pause();
    },

    resume() {
      isPaused = false;
      resumes++;
      reading?.resume();
      onResume();
      onResume = () => {};
    },

    async lastWords() {
      const { words } = await quoted();
      return words === undefined ? undefined : `it last wrote: ${words}`;
    },

    async close() {
      end(undefined);
      // Cancellations of this tick: they must not be lost with the end of stdin.
      writer.flush();
      await child.close();
    },
  };
}

function describeExit(exit: Exit | undefined): string {
  if (exit === undefined) return 'it closed its stdout';
  return exit.signal === null ? `it exited with code ${exit.code}` : `it was killed by ${exit.signal}`;
}
