import { maxKeptBytes } from '../limits.js';

/** What one session keeps. */
export interface KeptShare {
  bytes(): number;
  /** Drops its older file. */
  shrink(): void;
}

/** What all sessions of a process may keep together. */
export interface KeptQuota {
  join(share: KeptShare): { grown(): void; leave(): void };
}

export function createKeptQuota(most: number): KeptQuota {
  const shares = new Set<KeptShare>();

  /** Over the limit, the session that keeps most loses its older file: a session that keeps little loses nothing to one that keeps much. */
  function shrinkLargest(): void {
    for (let tries = shares.size; tries > 0; tries--) {
      const sizes = Array.from(shares, (share) => ({ share, bytes: share.bytes() }));
      if (sizes.reduce((sum, { bytes }) => sum + bytes, 0) <= most) return;
      const largest = sizes.reduce((one, other) => (other.bytes > one.bytes ? other : one));
      largest.share.shrink();
      if (largest.share.bytes() >= largest.bytes) return;
    }
  }

  return {
    join(share) {
      shares.add(share);
      return { grown: shrinkLargest, leave: () => void shares.delete(share) };
    },
  };
}

export const processQuota = createKeptQuota(maxKeptBytes);
