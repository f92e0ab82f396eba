import type { Agent } from '../../workbench/ports/agent.js';
import type { Sharing } from '../protocol/questions.js';
import { type Lease, moveLease } from './lease.js';

/** Why a process is not shared. */
export type Reason =
  | 'perSession'
  | 'it asks outside of calls'
  | 'it asks for roots'
  | 'it asks during calls of several sessions';

const outside = 'it asks outside of calls';

/** To whom a connection belongs, which follows from the questions of its server. */
export interface Claim {
  readonly sharing: Sharing;
  /** The only session that may use it. */
  owner(): string | undefined;
  /** Its agent. */
  readonly spokesman: () => Agent | undefined;
  isRetired(): boolean;
  /** Resolves when it belongs to one session, or to none. */
  readonly made: Promise<void>;
}

/**
 * A server that asks outside of a call has a state of its own per client, so it belongs to one session: that for which it was
 * started. If nobody can say whose call a question is about, the connection is left by all of them, because the server may
 * ask again.
 */
export function createClaim(
  leases: ReadonlySet<Lease>,
  starter: string,
  given: string | undefined,
  changed: (reason: Reason) => void,
): Claim {
  let owner = given;
  let isRetired = false;
  let madeNow = () => {};
  const made = new Promise<void>((resolve) => {
    madeNow = resolve;
  });

  function moveAll(reason: Reason): void {
    changed(reason);
    madeNow();
    for (const lease of [...leases].filter(({ session }) => isRetired || session !== owner)) moveLease(lease);
  }

  function claimFor(session: string, reason: Reason): void {
    owner = session;
    moveAll(reason);
  }

  function retire(reason: Reason): void {
    if (isRetired) return;
    isRetired = true;
    moveAll(reason);
  }

  return {
    sharing: {
      askedOutside() {
        if (owner !== undefined || isRetired) return;
        const sessions = new Set(Array.from(leases, ({ session }) => session));
        const [only] = sessions;
        if (sessions.has(starter)) claimFor(starter, outside);
        else if (sessions.size === 1 && only !== undefined) claimFor(only, outside);
        else retire(outside);
      },
      givesRootsOf({ id }) {
        if (owner === undefined && !isRetired) claimFor(id, 'it asks for roots');
        return owner === id && !isRetired;
      },
      askedAmbiguously: () => retire('it asks during calls of several sessions'),
    },
    owner: () => owner,
    spokesman: () => [...leases].find(({ session }) => session === owner)?.agent,
    isRetired: () => isRetired,
    made,
  };
}
