import { encodeHeld } from '../../../config/edits/held-servers.js';
import type { Configuration } from '../../../config/read/configuration.js';
import { messageOf } from '../../../contract/errors.js';
import { build } from '../../../platform/build.js';
import type { Computer } from '../../../platform/computer.js';
import { loadPart } from '../../../platform/load-part.js';
import type { Log } from '../../../platform/log.js';
import { version } from '../../../platform/version.js';
import type { LiveConfiguration } from '../../../session/configuration/live-configuration.js';
import type { OpenLink, SessionLink } from '../../../session/link.js';
import { answerLost } from '../../../session/lost-calls.js';
import type { AgentOutput } from '../../../session/transport.js';
import { hostLossesWithinMs } from '../limits.js';
import type { Edit } from '../protocol.js';
import { attach } from './attach.js';
import type { FrontLog } from './front-log.js';
import { createHostLink, type LinkEnd } from './host-link.js';
import { reasonAgainst } from './reason-against.js';
import { hostEnvironment, sentEnvironment } from './sent-environment.js';

/** The session that gets links, and what its host has to know of it. */
export interface LinkedSession {
  readonly id: string;
  readonly configuration: LiveConfiguration;
  readonly output: AgentOutput;
  readonly computer: Computer;
  readonly isFrozen: boolean;
  /** The value of `--host-name`. */
  readonly hostName: string | undefined;
  readonly log: Log;
}

/** The links of a session to its hosts, and the log of its own process. */
export interface HostLinks {
  readonly open: OpenLink;
  /** Adds a line of this process to the log file of the workbench. */
  keepLine(line: string): void;
  /** Writes what is left of them. False if that was not possible in time. */
  close(): Promise<boolean>;
}

/**
 * Opens links to the host, and one to an engine of this process, for good, if that is not possible: the host cannot be started,
 * refuses the session, does not answer, or is lost twice in a short time.
 */
export function createHostLinks(
  session: LinkedSession,
  openOwn: (why: string | undefined, wantedHost: boolean) => Promise<SessionLink>,
): HostLinks {
  const { configuration, output, log } = session;
  const { env, cwd, home, platform } = session.computer;
  /** Why this process runs the servers itself. */
  let why: string | undefined;
  /** It was no choice of the user. */
  let wantedHost = false;
  let lostAt = -Infinity;
  let attempt = 0;
  let file: Promise<FrontLog | undefined> | undefined;
  /** The host has written the line to the file. */
  let isKept = false;

  async function open(lost: Parameters<OpenLink>[0]): Promise<SessionLink> {
    why ??= reasonAgainst({ env, platform, versions: process.versions }, configuration.current);
    if (why !== undefined) return own();
    try {
      return await attached(lost);
    } catch (error) {
      giveUp(messageOf(error));
      return own();
    }
  }

  async function own(): Promise<SessionLink> {
    // From here on the engine writes the log.
    await close();
    return openOwn(why, wantedHost);
  }

  async function attached(lost: Parameters<OpenLink>[0]): Promise<SessionLink> {
    const { current, note } = configuration;
    // Before the host reads them: an edit in between is then noticed.
    if (current.mayWarn) await current.load();
    const { id, isFrozen, hostName } = session;
    const place = { session: id, version, build, pid: process.pid, cwd, home };
    const hello = { ...place, isFrozen, isCommand: false, isReview: false, note: note ?? null, ...editOf(current) };
    const attachment = await attach(hello, hostEnvironment(env, platform), hostName);
    const lose = (end: LinkEnd) => {
      answerAll(end);
      lost(end.held);
    };
    return createHostLink(attachment, output, { attempt: ++attempt, log, lost: lose, logged, editOf });
  }

  function editOf({ source, held }: Configuration): Edit {
    const sent = { env: sentEnvironment(env, platform, source?.text), config: source ?? null };
    return held === undefined ? sent : { ...sent, held: encodeHeld(held) };
  }

  function giveUp(reason: string): void {
    why = reason;
    wantedHost = true;
    log.warn(`this session runs its servers itself, it does not share them: ${reason}`);
  }

  function answerAll({ sent, isWanted }: LinkEnd): void {
    if (isWanted) log.info('the host that runs the servers was ended; the next call starts another one');
    else countLoss(performance.now());
    for (const pending of sent) void answerLost(pending, log).then((message) => output.send(message));
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
    file ??= loadPart(() => import('./front-log.js')).then(({ openFrontLog }) => openFrontLog(session.computer));
    (await file)?.add(line);
  }

  async function close(): Promise<boolean> {
    return (await file?.catch(() => {}))?.close() ?? true;
  }

  return {
    open,
    keepLine(line) {
      // Without a log everything else goes on.
      if (!isKept) keep(line).catch(() => {});
    },
    close,
  };
}
