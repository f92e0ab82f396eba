import type { ProcessTable } from './process-table.js';
import { sendSignal } from './signals.js';

/** The process that we started; it started the others of its group. */
export interface Leader {
  readonly pid: number;
  /** In its environment, and so in that of every process it starts. */
  readonly mark: string;
  readonly env: ReadonlyMap<string, string>;
  readonly exited: Promise<unknown>;
}

/** A server's process and its descendants: its process group, on Windows its tree. */
export interface ProcessGroup {
  /** Whether a process of it is left. Processes that have left the group do not count. */
  isAlive(): Promise<boolean>;
  /** Windows has no SIGTERM: there, both end it immediately. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Ends processes that have left the group, as far as they can be found on this platform. */
  endStrays(): Promise<void>;
}

export function createProcessGroup({ pid, mark, exited }: Leader, table: ProcessTable | undefined): ProcessGroup {
  let hasExited = false;
  void exited.then(() => {
    hasExited = true;
  });
  return {
    async isAlive() {
      // While the leader runs, no lookup is needed.
      if (!hasExited) return true;
      if (!sendSignal(-pid, 0)) return false;
      // Zombies are members too; only the table distinguishes them. Unknown counts as alive.
      return (await table?.hasMember(pid)) ?? true;
    },
    async signal(signal) {
      sendSignal(-pid, signal);
    },
    async endStrays() {
      await table?.endMarked(mark);
    },
  };
}
