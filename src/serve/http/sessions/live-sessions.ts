import type { Bounds } from '../exchange/limits.js';
import type { Ticking, Ticks } from '../exchange/ticks.js';

/** A session that is open in this process. */
export interface LiveSession {
  /** The key of its principal. */
  readonly principal: string;
  /** Its requests that are not over. */
  busy: number;
  /** Its client has a stream open. */
  isConnected: boolean;
  /** When it was used last. */
  usedAt: number;
  close(): Promise<void>;
}

/** Keeps the number of sessions in bounds. What is closed here opens again with its next request. */
export interface LiveSessions {
  /** Makes room for one more of the principal; false if all others are busy. */
  makeRoom(principal: string): boolean;
  add(session: LiveSession): void;
  /** Closes it. */
  end(session: LiveSession): Promise<void>;
  readonly size: number;
  /** Closes all. */
  close(): Promise<void>;
}

type SessionBounds = Pick<Bounds, 'sessionsPerUser' | 'sessions' | 'sessionIdleMs'>;

export function createLiveSessions(
  ticks: Ticks,
  { sessionsPerUser, sessions: total, sessionIdleMs }: SessionBounds,
): LiveSessions {
  const sessions = new Set<LiveSession>();
  const counts = new Map<string, number>();
  const closing = new Set<Promise<void>>();
  const watch: Ticking = {
    tick(now) {
      for (const one of sessions)
        if (one.busy === 0 && !one.isConnected && now - one.usedAt > sessionIdleMs) void end(one);
    },
  };

  function end(session: LiveSession): Promise<void> {
    if (!sessions.delete(session)) return Promise.resolve();
    if (sessions.size === 0) ticks.delete(watch);
    const left = (counts.get(session.principal) ?? 1) - 1;
    if (left === 0) counts.delete(session.principal);
    else counts.set(session.principal, left);
    const closed = session.close().finally(() => closing.delete(closed));
    closing.add(closed);
    return closed;
  }

  function endIdlest(isOne: (session: LiveSession) => boolean): boolean {
    let idlest: LiveSession | undefined;
    for (const session of sessions)
      if (session.busy === 0 && isOne(session) && (idlest === undefined || isIdler(session, idlest))) idlest = session;
    if (idlest === undefined) return false;
    void end(idlest);
    return true;
  }

  return {
    makeRoom(principal) {
      if ((counts.get(principal) ?? 0) >= sessionsPerUser && !endIdlest((one) => one.principal === principal))
        return false;
      return sessions.size < total || endIdlest(() => true);
    },
    add(session) {
      if (sessions.size === 0) ticks.add(watch);
      sessions.add(session);
      counts.set(session.principal, (counts.get(session.principal) ?? 0) + 1);
    },
    end,
    get size() {
      return sessions.size;
    },
    async close() {
      for (const session of sessions) void end(session);
      await Promise.allSettled(closing);
    },
  };
}

/** A client with an open stream would open its session again at once. */
function isIdler(one: LiveSession, other: LiveSession): boolean {
  return one.isConnected === other.isConnected ? one.usedAt < other.usedAt : other.isConnected;
}
