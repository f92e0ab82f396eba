import type { ServerConfig } from '../../config/config.js';

/** Legacy servers begin with `initialize`; modern ones (2026-07-28) answer `server/discover`. */
export type Era = 'legacy' | 'modern';

/**
 * How a server is addressed first.
 * - `probe`: `server/discover` for a short time, then `initialize` on the same connection
 * - `legacy`: `initialize`
 * - `modern`: `server/discover`, and nothing else
 */
export type Approach = 'probe' | Era;

/** One attempt to connect, and why it is made this way. */
export interface Attempt {
  readonly approach: Approach;
  readonly because: 'configured' | 'nothing known' | 'remembered' | 'first attempt failed';
}

/** How an attempt ended, as far as it says something about the era. */
export interface Finding {
  /** Undefined: it failed. */
  readonly connectedAs: Era | undefined;
  /** The server answered `server/discover` with 2026-07-28, in time or late. */
  readonly isModern: boolean;
  /** It failed in a way that another approach may avoid: the server exited or refused the handshake. */
  readonly mayDependOnEra: boolean;
}

export interface Conclusion {
  /** What to do with the memory of this server. */
  readonly memory: 'remember as legacy' | 'forget' | 'keep';
  /** The attempt to make after this one; undefined: none. */
  readonly next: Attempt | undefined;
}

/** `isRemembered`: an earlier run found that the server is legacy. */
export function firstAttempt(protocol: ServerConfig['protocol'], isRemembered: boolean): Attempt {
  switch (protocol) {
    case 'legacy':
      return { approach: 'legacy', because: 'configured' };
    case '2026-07-28':
      return { approach: 'modern', because: 'configured' };
    case 'auto':
      return isRemembered
        ? { approach: 'legacy', because: 'remembered' }
        : { approach: 'probe', because: 'nothing known' };
  }
}

/** What follows from an attempt. There are at most two per start. */
export function conclude({ because }: Attempt, { connectedAs, isModern, mayDependOnEra }: Finding): Conclusion {
  if (because === 'configured') return { memory: 'keep', next: undefined };
  if (connectedAs !== undefined) {
    const memory = connectedAs === 'legacy' && !isModern ? 'remember as legacy' : 'keep';
    return { memory, next: undefined };
  }
  const retry = (approach: Approach): Attempt | undefined =>
    mayDependOnEra ? { approach, because: 'first attempt failed' } : undefined;
  switch (because) {
    case 'remembered':
      // The memory may be out of date: a server that supports only 2026-07-28 since an update may also stay silent.
      return { memory: 'forget', next: retry('probe') };
    case 'nothing known':
      // Some legacy servers exit on the probe. Some modern ones answer it so late that they were taken for legacy.
      return { memory: 'keep', next: retry(isModern ? 'modern' : 'legacy') };
    case 'first attempt failed':
      return { memory: 'keep', next: undefined };
  }
}
