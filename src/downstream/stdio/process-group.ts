import type { ProcessTable } from './process-table.js';
import { sendSignal } from './signals.js';

/** The process that we started: everything else was started by it. */
export interface Leader {
  readonly pid: number;
  /** In its environment, and so in that of whatever it starts. */
  readonly mark: string;
  readonly env: ReadonlyMap<string, string>;
  readonly exited: Promise<unknown>;
}

/** A server's process with all that it started: its process group, on Windows its tree. */
export interface ProcessGroup {
  /** Whether anything of it is left. What has left the group does not count. */
  isAlive(): Promise<boolean>;
  /** Windows has no SIGTERM: there, both end it at once. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Ends what has left the group, as far as this platform lets us find it. */
  endStrays(): Promise<void>;
}

export function createProcessGroup({ pid, mark, exited }: Leader, table: ProcessTable | undefined): ProcessGroup {
  let hasExited = false;
  void exited.then(() => {
    hasExited = true;
  });
  return {
    async isAlive() {
      // As long as the leader lives, nothing has to be looked up.
      if (!hasExited) return true;
      if (!sendSignal(-pid, 0)) return false;
      // Zombies are members too; only the table tells them from the living. What is not known counts as alive.
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
