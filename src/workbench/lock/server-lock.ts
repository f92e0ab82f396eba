import type { Approved, FirstSight, ServerLock, ToolLock } from '../../config/lock-file/tool-lock.js';
import { differenceOf } from './deviations.js';

interface Listing {
  /** Blocks everything that is not in the lock. */
  readonly isFrozen: boolean;
  /** Whether the server itself listed this; what is cached proves nothing. */
  readonly isLive: boolean;
}

/** What the lock says about a server that lists this. If it is the first sight of the server, that is approved. */
export function createServerLock(
  lock: ToolLock,
  seen: FirstSight,
  { isFrozen, isLive }: Listing,
): ServerLock & { approved(): Approved | undefined } {
  function approved(): Approved | undefined {
    const known = lock.approved(seen);
    if (known !== undefined || !isLive || isFrozen || lock.problem !== undefined) return known;
    lock.add(seen);
    return lock.approved(seen);
  }
  return {
    approved,
    get revision() {
      return lock.revision;
    },
    isEnforced: (mode) => isFrozen || mode === 'strict',
    differenceOf(tool) {
      const known = approved();
      return known === undefined && lock.problem !== undefined ? 'unverified' : differenceOf(tool, known);
    },
    isApproved: (instructions) => approved()?.instructions.includes(instructions) ?? false,
  };
}
