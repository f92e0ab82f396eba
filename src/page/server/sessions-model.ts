import type { FoundProcess } from '../../inspect/list-sessions.js';
import type { SessionsListener } from '../../inspect/watch-sessions.js';
import type { ProcessStatus, ServerStatus, StatusEvent } from '../../observe/status/protocol.js';
import { configKey, isHostOfOtherBuild } from '../../platform/sockets/socket-names.js';
import { createCallLog } from './call-log.js';
import { createLives, type Lives } from './lives.js';

/** What is known of the sessions of one configuration. */
export interface SessionsModel {
  readonly listener: SessionsListener;
  /** As `listSessions` gives them. */
  processes(): readonly FoundProcess[];
  readonly lives: Pick<Lives, 'of'>;
  readonly calls: Pick<ReturnType<typeof createCallLog>, 'all' | 'news'>;
}

interface Heard {
  readonly pid: number;
  /** Undefined for one that does not answer, or answers something else. */
  status: ProcessStatus | undefined;
  why: 'silent' | 'foreign' | undefined;
  /** Whether what it remembers has come, or will not come. */
  hasPast: boolean;
  /** The sessions of this configuration, those that are over as well. */
  readonly own: Set<string>;
}

/** `config`: the path of the configuration that is shown, or null for the embedded one. `changed`: something but calls is new. */
export function createSessionsModel(config: () => string | null, changed: () => void): SessionsModel {
  const isOwn = (other: string | null) => other === config();
  const heard = new Map<string, Heard>();
  const lives = createLives();
  const calls = createCallLog();

  function noteServers({ pid, own, hasPast }: Heard, { sessions }: ProcessStatus): void {
    for (const { id, config: served, servers } of sessions) {
      if (!isOwn(served)) continue;
      own.add(id);
      if (hasPast) for (const server of servers) lives.note(pid, id, server);
    }
  }

  function note(one: Heard, event: StatusEvent, isPast: boolean): void {
    const { pid, own } = one;
    switch (event.is) {
      case 'session':
        if (isOwn(event.session.config)) own.add(event.session.id);
        if (!isPast && one.status !== undefined) one.status = withSession(one.status, event.session);
        break;
      case 'closed':
        // In the past, the ends of its servers follow.
        if (isPast) return;
        lives.end(pid, event.session);
        if (one.status !== undefined) one.status = withoutSession(one.status, event.session);
        break;
      case 'server':
        if (own.has(event.session)) lives.note(pid, event.session, event.server);
        if (!isPast && one.status !== undefined) one.status = withServer(one.status, event.session, event.server);
        break;
      default:
        if (own.has(event.session)) calls.add(pid, event);
        return;
    }
    changed();
  }

  const listener: SessionsListener = {
    status(key, status) {
      const known = heard.get(key);
      const one = known ?? { pid: status.pid, status, why: undefined, hasPast: false, own: new Set<string>() };
      // What it remembers comes next; another connection may have given that before.
      if (known?.status === undefined) {
        lives.forget(status.pid);
        calls.forget(status.pid);
      } else one.hasPast = true;
      one.status = status;
      one.why = undefined;
      heard.set(key, one);
      noteServers(one, status);
      changed();
    },
    past(key, events) {
      const one = heard.get(key);
      if (one?.status === undefined) return;
      for (const event of events) note(one, event, true);
      one.hasPast = true;
      // What it remembers may be older than how it stands.
      noteServers(one, one.status);
      const open = new Set(one.status.sessions.map(({ id }) => id));
      for (const session of one.own) if (!open.has(session)) lives.end(one.pid, session);
      changed();
    },
    event(key, event) {
      const one = heard.get(key);
      if (one !== undefined) note(one, event, false);
    },
    unclear(key, name, why) {
      const own = configKey(config() ?? undefined);
      // A host may serve any configuration.
      const mayServe = (name.config ?? own) === own && (why !== 'silent' || !isHostOfOtherBuild(name.name));
      if (!heard.has(key) && !mayServe) return;
      const one = heard.get(key) ?? { pid: name.pid, status: undefined, why, hasPast: false, own: new Set<string>() };
      one.why = why;
      heard.set(key, one);
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
    lives,
    calls,
    processes: () => Array.from(heard).flatMap(([socket, one]) => serving(one, socket, isOwn)),
  };
}

/** Without the sessions of other configurations; nothing if it had no other when it last answered. */
function serving(
  { pid, status, why }: Heard,
  socket: string,
  isOwn: (config: string | null) => boolean,
): readonly FoundProcess[] {
  if (status === undefined) return [{ is: why ?? 'silent', pid, socket }];
  const sessions = status.sessions.filter(({ config }) => isOwn(config));
  if (sessions.length === 0) return [];
  return [why === undefined ? { is: 'known', ...status, sessions } : { is: why, pid, socket }];
}

function withSession(status: ProcessStatus, session: ProcessStatus['sessions'][number]): ProcessStatus {
  return { ...status, sessions: [...status.sessions.filter(({ id }) => id !== session.id), session] };
}

function withoutSession(status: ProcessStatus, session: string): ProcessStatus {
  return { ...status, sessions: status.sessions.filter(({ id }) => id !== session) };
}

function withServer(status: ProcessStatus, session: string, server: ServerStatus): ProcessStatus {
  const sessions = status.sessions.map((one) => {
    if (one.id !== session) return one;
    const others = one.servers.filter(
      ({ toolbox, server: name }) => toolbox !== server.toolbox || name !== server.server,
    );
    // It is only in an event: its entry was changed or removed, or the session is over.
    return { ...one, servers: server.state === 'stopped' ? others : [...others, server] };
  });
  return { ...status, sessions };
}
