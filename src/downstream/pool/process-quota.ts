import { DownstreamFailure } from '../../contract/downstream-failure.js';

/** How many processes of servers there may be. */
export interface ProcessLimits {
  readonly perPrincipal: number;
  readonly total: number;
}

/** Counts processes, and refuses more than the limit. */
export interface ProcessQuota {
  /** Returns what counts it as ended. Throws if there are too many. */
  take(principal: string): () => void;
}

export function createProcessQuota(limits: ProcessLimits | undefined): ProcessQuota {
  const counts = new Map<string, number>();
  let total = 0;

  function check(principal: string): void {
    if (limits === undefined) return;
    const own = counts.get(principal) ?? 0;
    if (own >= limits.perPrincipal)
      throw new DownstreamFailure(
        'busy',
        `${own} servers of this user are running, the limit is ${limits.perPrincipal} (http.limits.processesPerUser); idle ones end by themselves, so retry later`,
      );
    if (total >= limits.total)
      throw new DownstreamFailure(
        'busy',
        `the service runs as many servers as it may (${limits.total}, http.limits.processes); retry later`,
      );
  }

  return {
    take(principal) {
      check(principal);
      counts.set(principal, (counts.get(principal) ?? 0) + 1);
      total++;
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        total--;
        const left = (counts.get(principal) ?? 1) - 1;
        if (left === 0) counts.delete(principal);
        else counts.set(principal, left);
      };
    },
  };
}
