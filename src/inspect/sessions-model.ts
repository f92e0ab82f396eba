import type { ServerNames } from '../config/lock-file/tool-lock.js';
import type { ProcessStatus, StatusEvent } from '../observe/status/protocol.js';
import { createSessionBoard, type SessionBoard } from '../observe/status/session-board.js';
import { configKey, isOfHost, sharedNameOf } from '../platform/sockets/socket-names.js';
import { type CallLog, createCallLog } from './call-log.js';
import type { FoundProcess, ListOptions } from './list-sessions.js';
import { createLives, type Life } from './lives.js';
import { type SessionsListener, watchSessions } from './watch-sessions.js';

/** What is known of the sessions of one configuration. */
export interface SessionsModel {
  readonly listener: SessionsListener;
  /** As `listSessions` gives them. */
  processes(): readonly FoundProcess[];
  /** When its processes lived, in the last half hour. */
  livesOf(server: ServerNames, now: number): readonly Life[];
  readonly calls: Pick<CallLog, 'all' | 'news'>;
}

interface Heard {
  readonly pid: number;
  /** Undefined for one that does not answer, or answers something else. */
  about: Omit<ProcessStatus, 'sessions'> | undefined;
  /** Its sessions, by their id. */
  boards: Map<string, SessionBoard>;
  why: 'silent' | 'foreign' | undefined;
  /** Whether what it remembers has come, or will not come. */
  hasPast: boolean;
  /** The sessions of this configuration, ended ones included. */
  readonly own: Set<string>;
}

/** Follows the sessions of one configuration until it is closed. */
export function followSessions(
  config: () => string | null,
  changed: () => void,
  ownHost: string,
  { host, directory }: Pick<ListOptions, 'host' | 'directory'>,
) {
  const { listener, ...model } = createSessionsModel(config, changed, ownHost);
  // A host may serve any configuration.
  const mayServe = (key: string | undefined) => key === undefined || key === configKey(config() ?? undefined);
  const close = watchSessions(listener, directory, (name) => mayServe(name.config) && isOfHost(name, host));
  return { ...model, close };
}

/**
 * `config`: the path of the configuration that is shown, or null for the embedded one. `changed`: something but calls is new.
 * `ownHost`: where its sessions look for their host.
 */
export function createSessionsModel(config: () => string | null, changed: () => void, ownHost: string): SessionsModel {
  const isOwn = (other: string | null) => other === config();
  const heard = new Map<string, Heard>();
  const lives = createLives();
  const calls = createCallLog();

  function noteServers({ pid, own, hasPast, boards }: Heard): void {
    for (const [id, board] of boards) {
      if (!isOwn(board.config)) continue;
      own.add(id);
      if (hasPast) for (const server of board.status().servers) lives.note(pid, id, server);
    }
  }

  function heardOf(key: string, pid: number): Heard {
    const known = heard.get(key);
    if (known !== undefined) return known;
    const one = { pid, about: undefined, boards: new Map(), why: undefined, hasPast: false, own: new Set<string>() };
    heard.set(key, one);
    return one;
  }

  function note(one: Heard, event: StatusEvent, isPast: boolean): void {
    const { pid, own } = one;
    switch (event.is) {
      case 'session':
        if (isOwn(event.session.config)) own.add(event.session.id);
        if (!isPast) one.boards.set(event.session.id, createSessionBoard(event.session));
        break;
      case 'closed':
        // In the past, the ends of its servers follow.
        if (isPast) return;
        lives.end(pid, event.session);
        one.boards.delete(event.session);
        break;
      case 'running':
        if (isPast || !one.boards.has(event.session)) return;
        one.boards.get(event.session)?.apply(event);
        break;
      case 'server':
        if (own.has(event.session)) lives.note(pid, event.session, event.server);
        if (!isPast) one.boards.get(event.session)?.apply(event);
        break;
      default:
        if (own.has(event.session)) calls.add(pid, event);
        return;
    }
    changed();
  }

  const listener: SessionsListener = {
    status(key, { sessions, ...about }) {
      const one = heardOf(key, about.pid);
      // What it remembers comes next; another connection may have given that before.
      if (one.about === undefined) {
        lives.forget(about.pid);
        calls.forget(about.pid);
      } else one.hasPast = true;
      one.about = about;
      one.boards = new Map(sessions.map((session) => [session.id, createSessionBoard(session)]));
      one.why = undefined;
      noteServers(one);
      changed();
    },
    past(key, events) {
      const one = heard.get(key);
      if (one?.about === undefined) return;
      for (const event of events) note(one, event, true);
      one.hasPast = true;
      // What it remembers may be older than how it stands.
      noteServers(one);
      for (const session of one.own) if (!one.boards.has(session)) lives.end(one.pid, session);
      changed();
    },
    event(key, event) {
      const one = heard.get(key);
      if (one !== undefined) note(one, event, false);
    },
    unclear(key, name, why) {
      const own = configKey(config() ?? undefined);
      // A host may serve any configuration.
      const mayServe =
        (name.config ?? own) === own && (why !== 'silent' || (sharedNameOf(name.name) ?? ownHost) === ownHost);
      if (!heard.has(key) && !mayServe) return;
      heardOf(key, name.pid).why = why;
      changed();
    },
    gone(key) {
      const one = heard.get(key);
      heard.delete(key);
      // It may have opened another socket.
      const isOver = ![...heard.values()].some(({ pid }) => pid === one?.pid);
      if (one !== undefined && isOver) lives.end(one.pid);
      changed();
    },
  };

  return {
    listener,
    livesOf: (server, now) => lives.of(server, now),
    calls,
    processes: () => Array.from(heard).flatMap(([socket, one]) => serving(one, socket, isOwn)),
  };
}

/** Without the sessions of other configurations; nothing if it had no other when it last answered. */
function serving(
  { pid, about, boards, why }: Heard,
  socket: string,
  isOwn: (config: string | null) => boolean,
): readonly FoundProcess[] {
  if (about === undefined) return [{ is: why ?? 'silent', pid, socket }];
  const own = [...boards.values()].filter(({ config }) => isOwn(config));
  const isService = about.service !== undefined && isOwn(about.service.config);
  if (own.length === 0 && !isService) return [];
  if (why !== undefined) return [{ is: why, pid, socket }];
  return [{ is: 'known', ...about, sessions: own.map((board) => board.status()) }];
}
