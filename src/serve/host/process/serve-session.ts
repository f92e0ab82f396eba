import type { Socket } from 'node:net';
import type { assemble, Engine, EngineLink } from '../../../compose.js';
import { decodeHeld, withHeld } from '../../../config/edits/held-servers.js';
import { readConfiguration } from '../../../config/read/configuration.js';
import { messageOf } from '../../../contract/errors.js';
import { isRecord, type JsonObject } from '../../../jsonrpc/json.js';
import { failureFrom, isRequest, messageIn } from '../../../jsonrpc/messages.js';
import { backlogWithoutInputBytes, backlogWithoutProgressBytes } from '../../../limits.js';
import type { Computer } from '../../../platform/computer.js';
import { createLog, type Log, silentLog } from '../../../platform/log.js';
import { type Caller, isModernRequest, modernCaller, unknownClient } from '../../../session/caller.js';
import { localUser } from '../../../session/principal.js';
import { createFrameReader, type Frame, frameKinds, textOf } from '../frames.js';
import { backlogCutOffBytes, backlogCutOffMs, longestFrameToHost, maxUnansweredRequests } from '../limits.js';
import { type Edit, type Hello, methods, readEdit } from '../protocol.js';
import { createFrameOutput, type FrameOutput } from './frame-output.js';

/** The engine, and what reads configurations for it. */
export interface Loaded {
  readonly engine: Engine;
  readonly assemble: typeof assemble;
}

/** Serves the calls of one session over its socket until the session is gone. `end`: says that this host ends. */
export async function serveSession(
  socket: Socket,
  hello: Hello,
  { engine, assemble: assembled }: Loaded,
  onServed: (end: () => void) => void,
): Promise<void> {
  if (socket.destroyed) return;
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  // Frames may follow the answer at once.
  socket.pause();
  const output = createFrameOutput(socket);
  let keepLine = (_line: string) => {};
  const { log, begin } = sessionLog(output, (line) => keepLine(line));
  const { cwd, home, pid, isFrozen, isCommand, isReview, session: id } = hello;
  const computerOf = (env: Edit['env']): Computer => ({ env, cwd, home, platform: process.platform });
  // Its session has found it, and logged its warnings.
  const read = async ({ config, env, held }: Edit) => {
    const found = await readConfiguration(config ?? undefined, computerOf(env), silentLog);
    return held === undefined ? found : withHeld(found, decodeHeld(held));
  };
  const configuration = await read(hello);
  const computer = computerOf(hello.env);
  const options = { id, principal: localUser, computer, log, front: pid, isFrozen, isCommand, isReview };
  const config = await configuration.load(assembled);
  if (socket.destroyed) return;
  const link = engine.openLink(config, output, options);
  keepLine = (line) => link.keepLine(line);
  link.note(hello.note ?? undefined);
  output.onerror = (error) => log.warn(`session: ${error.message}`);
  const intake = createIntake(socket, output, link);
  const receive = receiver(link, output, {
    async apply(edit) {
      if (typeof edit === 'string') throw new Error(`Invalid edit: ${edit}`);
      link.apply(await read(edit));
      await link.applied();
    },
    log,
    intake,
  });
  const readFrames = createFrameReader(longestFrameToHost, receive);
  socket.on('data', (chunk: Buffer) => {
    const begun = performance.now();
    try {
      readFrames(chunk);
      intake.rest(performance.now() - begun);
    } catch (error) {
      // It must not end the others.
      log.error(`session: ${messageOf(error)}`);
      socket.destroy();
    }
  });
  socket.write(`${JSON.stringify({ workbench: 1, attached: { session: id } })}\n`);
  begin();
  socket.resume();
  onServed(() => {
    output.control(methods.ending, {});
    output.flush();
  });
  const watch = watchBacklog(output, () => {
    log.warn(`session: cut off, its client has left ${Math.round(output.unread / 1_000_000)} MB unread`);
    socket.destroy();
  });
  await gone;
  clearInterval(watch);
  await link.close();
}

interface Receiving {
  readonly apply: (edit: Edit | string) => Promise<void>;
  readonly log: Log;
  readonly intake: Intake;
}

/** Handles each frame of a session. */
function receiver(link: EngineLink, output: FrameOutput, { apply, log, intake }: Receiving): (frame: Frame) => void {
  let caller: Caller = unknownClient;
  /** Frames that arrived while an edit is being read; they are served under the edited configuration. */
  let behind: Frame[] | undefined;

  function start(frame: Frame): void {
    const message = messageIn(JSON.parse(textOf(frame)));
    if (message === undefined || !isRequest(message)) throw new Error('a frame without a request');
    const { method, params = {} } = message;
    const { number: id } = frame;
    try {
      link.start({ jsonrpc: '2.0', id, method, params }, isModernRequest(params) ? modernCaller(params) : caller);
    } catch (error) {
      output.send(failureFrom(id, error));
    }
  }

  function control(number: number, value: unknown): void {
    const { method, params: given } = isRecord(value) ? value : {};
    const params = isRecord(given) ? given : {};
    if (method === methods.cancel) link.cancel(number);
    else if (method === methods.follow) link.follow?.(number, String(params['token']));
    else if (method === methods.shown && isCount(params['chars'])) link.shown?.(number, params['chars']);
    else if (method === methods.rootsChanged) link.rootsChanged();
    else if (method === methods.caller) caller = callerIn(params) ?? caller;
    else if (method === methods.note) link.note(typeof params['note'] === 'string' ? params['note'] : undefined);
    else if (method === methods.ping) output.control(methods.ping, {});
    else if (method === methods.apply) hold(apply(readEdit(params)));
  }

  function hold(edit: Promise<void>): void {
    const held: Frame[] = (behind = []);
    intake.hold();
    void edit
      .catch((error: unknown) => log.warn(messageOf(error)))
      .then(() => {
        behind = undefined;
        intake.release();
        for (const frame of held) receiveOrEnd(frame);
      });
  }

  /** A fault in a frame ends its session, as it does where frames are read. */
  function receiveOrEnd(frame: Frame): void {
    try {
      receive(frame);
    } catch (error) {
      log.error(`session: ${messageOf(error)}`);
      output.end();
    }
  }

  function answer(frame: Frame): void {
    const value: unknown = JSON.parse(textOf(frame));
    const message = messageIn({ ...(isRecord(value) && value), id: frame.number });
    if (message !== undefined && !('method' in message)) link.answered(message);
  }

  function receive(frame: Frame): void {
    if (behind !== undefined) behind.push(frame);
    else if (frame.kind === frameKinds.request) start(frame);
    else if (frame.kind === frameKinds.control) control(frame.number, JSON.parse(textOf(frame)));
    else if (frame.kind === frameKinds.answer) answer(frame);
    intake.check();
  }
  return receive;
}

/** Nothing is read while too many requests are unanswered, or too much is unread. Our own sessions keep requests themselves before that. */
function createIntake(socket: Socket, output: FrameOutput, link: EngineLink): Intake {
  let isHeld = false;
  let isResting = false;
  const isFull = () =>
    isHeld || isResting || link.unanswered > maxUnansweredRequests || output.unread > backlogWithoutInputBytes;
  const resume = output.ondrain;
  socket.on('drain', () => {
    if (!isFull()) socket.resume();
    resume?.();
  });
  link.onanswered = () => {
    if (socket.isPaused() && !isFull()) socket.resume();
  };
  return {
    check() {
      if (isFull()) socket.pause();
    },
    hold() {
      isHeld = true;
      socket.pause();
    },
    release() {
      isHeld = false;
      if (!isFull()) socket.resume();
    },
    rest(ms) {
      if (ms < longTurnMs || isResting) return;
      isResting = true;
      socket.pause();
      setTimeout(() => {
        isResting = false;
        if (!isFull()) socket.resume();
      }, ms);
    },
  };
}

/** Whether more is read from a session. */
interface Intake {
  /** To be called after each frame. */
  check(): void;
  /** Nothing is read until `release`. */
  hold(): void;
  release(): void;
  /** It has taken so long to read from the session. Others have the same time before more of it is read, unless it was short. */
  rest(ms: number): void;
}

/** A session with heavy requests must not have every turn of the event loop: others notice one, not one after the other. */
const longTurnMs = 20;

/**
 * A session that does not read is cut off, so that what waits for it does not fill the memory of all. Ticks are counted, not the
 * clock: a computer that was asleep has made none.
 */
function watchBacklog(output: FrameOutput, cutOff: () => void): NodeJS.Timeout {
  let ticks = 0;
  return setInterval(() => {
    ticks = output.unread > backlogCutOffBytes ? ticks + 1 : 0;
    if (ticks * backlogTickMs > backlogCutOffMs) cutOff();
  }, backlogTickMs).unref();
}

const backlogTickMs = 1_000;

/** Lines about a session go into its file, and to the log of its own process: from `begin` on, when it reads frames. */
function sessionLog(output: FrameOutput, keepLine: (line: string) => void) {
  const kept = createLog(keepLine);
  let early: object[] | undefined = [];
  const line = (level: keyof Log) => (text: string) => {
    kept[level](text);
    if (early !== undefined) early.push({ level, text });
    else if (output.unread <= backlogWithoutProgressBytes) output.control(methods.log, { level, text });
  };
  const log: Log = { info: line('info'), warn: line('warn'), error: line('error') };
  function begin(): void {
    for (const one of early ?? []) output.control(methods.log, one);
    early = undefined;
  }
  return { log, begin };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function callerIn({ revision, client, capabilities }: JsonObject): Caller | undefined {
  if (typeof revision !== 'string' || !isRecord(capabilities)) return undefined;
  if (!isRecord(client)) return { revision, capabilities, client: undefined };
  const { name, version } = client;
  if (typeof name !== 'string' || typeof version !== 'string') return undefined;
  return { revision, capabilities, client: { ...client, name, version } };
}
