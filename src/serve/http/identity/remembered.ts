import type { Identified } from './identify.js';
import { maxRememberedTokens, rememberedMs } from './limits.js';

interface Entry {
  readonly since: number;
  readonly until: number;
  readonly identified: Identified;
}

/** Tokens that were verified a moment ago, by their digests: the tokens themselves are kept nowhere. */
export interface Remembered {
  find(digest: string): Identified | undefined;
  /** `expires`: in ms since 1970. */
  add(digest: string, identified: Identified, expires: number): void;
  readonly size: number;
}

export function createRemembered(now: () => number): Remembered {
  const entries = new Map<string, Entry>();
  // A clock that was set back must not make a token last longer.
  const counts = ({ since, until }: Entry) => now() >= since && now() < until;

  /** In the order of time: the first ones are over first, or nearly so. */
  function makeRoom(): void {
    for (const [digest, entry] of entries) {
      if (counts(entry) && entries.size < maxRememberedTokens) return;
      entries.delete(digest);
    }
  }

  return {
    find(digest) {
      const entry = entries.get(digest);
      if (entry === undefined) return undefined;
      if (counts(entry)) return entry.identified;
      entries.delete(digest);
      return undefined;
    },
    add(digest, identified, expires) {
      const since = now();
      const until = Math.min(expires, since + rememberedMs);
      if (until <= since) return;
      entries.delete(digest);
      makeRoom();
      entries.set(digest, { since, until, identified });
    },
    get size() {
      return entries.size;
    },
  };
}
