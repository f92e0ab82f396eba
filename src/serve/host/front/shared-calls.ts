import type { Config } from '../../../config/config.js';
import { messageOf } from '../../../contract/errors.js';
import { hostLossesWithinMs } from '../../../limits.js';
import { build } from '../../../platform/build.js';
import type { Computer } from '../../../platform/computer.js';
import { loadPart } from '../../../platform/load-part.js';
import type { Log } from '../../../platform/log.js';
import { version } from '../../../platform/version.js';
import { type Calls, createLazyCalls } from '../../../session/lazy-calls.js';
import type { AgentOutput } from '../../../session/transport.js';
import type { Edit } from '../protocol.js';
import { attach } from './attach.js';
import type { FrontLog } from './front-log.js';
import { answerLost } from './lost-calls.js';
import { reasonAgainst } from './reason-against.js';
import { createRelay, type Relay, type RelayEnd } from './relay.js';
import { hostEnvironment, sentEnvironment } from './sent-environment.js';

/** The configuration in use. */
interface Used {
  readonly shared: boolean;
  readonly overview: { readonly configFile?: string | undefined };
  readonly text: string | undefined;
  /** Whether it may name other files. */
  readonly mayWarn: boolean;
  /** Reads those files; from then on they are watched. */
  load(): Promise<Config>;
}

interface Live {
  readonly current: Used;
  readonly note: string | undefined;
  served: { apply(config: Config, from: Used): void; note(text: string | undefined): void } | undefined;
  readonly onServed?: () => void;
}

/** The calls of a session that a host serves, and the log of its own process. */
export interface SharedCalls {
  readonly calls: Calls;
  /** Adds a line of this process to the log file of the workbench. */
  keepLine(line: string): void;
  /** Writes what is left of them. False if that was not possible in time. */
  close(): Promise<boolean>;
}

/**
 * Serves calls through the host, and in this process for good if that is not possible: the host cannot be started, refuses the session,
 * does not answer, or is lost twice in a short time.
 */
export function createSharedCalls(
  live: Live,
  output: AgentOutput,
  log: Log,
  computer: Computer,
  { isFrozen, hostName }: { readonly isFrozen: boolean; readonly hostName: string | undefined },
  loadOwn: (why?: string) => Promise<Calls>,
): SharedCalls {
  const { env, cwd, home, platform } = computer;
  const send: AgentOutput['send'] = (message) => output.send(message);
  /** Why this process runs the servers itself. */
  let why: string | undefined;
  let lostAt = -Infinity;
  let attempts = 0;
  let current = createLazyCalls(load, send, log);
  let file: Promise<FrontLog | undefined> | undefined;
  /** The host has written the line to the file. */
  let isKept = false;

  async function load(): Promise<Calls> {
    const { shared, text } = live.current;
    why ??= reasonAgainst({ env, platform, versions: process.versions }, shared, text);
    if (why !== undefined) return own();
    try {
      return await attached();
    } catch (error) {
      giveUp(messageOf(error));
      return own();
    }
  }

  async function own(): Promise<Calls> {
    // From here on the engine writes the log.
    await close();
    return loadOwn(why);
  }

  async function attached(): Promise<Relay> {
    const used = live.current;
    await readFiles(used);
    const hello = { version, build, pid: process.pid, cwd, home, isFrozen, note: live.note ?? null, ...editOf(used) };
    const attachment = await attach(hello, hostEnvironment(env, platform), hostName);
    const relay = createRelay(attachment, ++attempts, output, log, { lost: lose, logged });
    live.served = { apply: (_, from) => relay.apply(editOf(from)), note: (text) => relay.note(text) };
    live.onServed?.();
    if (used !== live.current) void applyEdit(relay, live.current);
    return relay;
  }

  /** One that was made while this session attached. Calls do not wait for it: the host could be lost meanwhile. */
  async function applyEdit(relay: Relay, edited: Used): Promise<void> {
    try {
      await readFiles(edited);
    } catch (error) {
      log.warn(messageOf(error));
    }
    if (edited === live.current) relay.apply(editOf(edited));
  }

  /** Before the host reads them: an edit in between is then noticed. */
  async function readFiles(used: Used): Promise<void> {
    if (used.mayWarn) await used.load();
  }

  function editOf({ overview: { configFile }, text }: Used): Edit {
    const config = configFile === undefined || text === undefined ? null : { path: configFile, text };
    return { env: sentEnvironment(env, platform, text), config };
  }

  function giveUp(reason: string): void {
    why = reason;
    log.warn(`this session runs its servers itself, it does not share them: ${reason}`);
  }

  function lose({ sent, held, isWanted }: RelayEnd): void {
    live.served = undefined;
    if (isWanted) log.info('the host that runs the servers was ended; the next call starts another one');
    else countLoss(performance.now());
    current = createLazyCalls(load, send, log);
    for (const pending of sent) void answerLost(pending, log).then(send);
    // Nobody has got these yet.
    for (const { request, caller } of held) current.start(request, caller);
  }

  function countLoss(now: number): void {
    if (now - lostAt < hostLossesWithinMs) giveUp('the host was lost twice in a short time');
    else log.warn('the host that runs the servers was lost; the next call starts another one');
    lostAt = now;
  }

  function logged(level: unknown, text: unknown): void {
    if (typeof text !== 'string') return;
    isKept = true;
    try {
      log[level === 'error' || level === 'warn' ? level : 'info'](text);
    } finally {
      isKept = false;
    }
  }

  async function keep(line: string): Promise<void> {
    file ??= loadPart(() => import('./front-log.js')).then(({ openFrontLog }) => openFrontLog(computer));
    (await file)?.add(line);
  }

  async function close(): Promise<boolean> {
    return (await file?.catch(() => {}))?.close() ?? true;
  }

  return {
    calls: {
      start: (request, caller) => current.start(request, caller),
      cancel: (requestId) => current.cancel(requestId),
      answered: (message) => current.answered(message),
      rootsChanged: () => current.rootsChanged(),
      close: () => current.close(),
    },
    keepLine(line) {
      // Without a log everything else goes on.
      if (!isKept) keep(line).catch(() => {});
    },
    close,
  };
}
