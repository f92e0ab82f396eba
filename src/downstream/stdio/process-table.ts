import { pause } from './pause.js';
import { type Walk, walkProcesses } from './process-walk.js';
import { shareRuns } from './shared-runs.js';
import { sendSignal } from './signals.js';

const shortestRestMs = 25;
const longestRestMs = 500;
const longestRetryMs = 10_000;

/** Looks for processes while servers end, with one walk for all that end at the same time. Linux only. */
export interface ProcessTable {
  /** Whether the group has a living member; undefined if that cannot be determined now. */
  hasMember(group: number): Promise<boolean | undefined>;
  /** Kills every process with the mark. Resolves when a walk finds none, which may be never. */
  endMarked(mark: string): Promise<void>;
}

export function createProcessTable(walk: (wantsMarks: boolean) => Promise<Walk> = walkProcesses): ProcessTable {
  let marksWanted = 0;
  // At most a quarter of the time is spent on walks, however many processes there are.
  const restMs = (tookMs: number) => Math.min(Math.max(3 * tookMs, shortestRestMs), longestRestMs);
  const nextWalk = shareRuns(() => walk(marksWanted > 0), restMs);

  return {
    async hasMember(group) {
      const { groups, isComplete } = await nextWalk();
      return groups.has(group) || (isComplete ? false : undefined);
    },
    async endMarked(mark) {
      marksWanted++;
      for (let retryMs = shortestRestMs; ; retryMs = Math.min(2 * retryMs, longestRetryMs)) {
        const { marked, isComplete } = await nextWalk();
        const strays = marked.get(mark) ?? [];
        if (isComplete && strays.length === 0) break;
        for (const stray of strays) sendSignal(stray, 'SIGKILL');
        // Processes that cannot be killed or found must not keep the workbench alive.
        await pause(retryMs, { unref: true });
      }
      marksWanted--;
    },
  };
}
