import type { Computer } from '../../platform/computer.js';
import { startChild } from './child.js';
import type { StartProgram } from './runners/ask-npm.js';
import { createWatchdog } from './watchdog.js';

/** Starts programs for a command of ours; what they write is not logged. */
export interface ProgramStarter {
  readonly start: StartProgram;
  /** Resolves when no process of them is left. */
  close(): Promise<void>;
}

export function createProgramStarter({ cwd, platform }: Pick<Computer, 'cwd' | 'platform'>): ProgramStarter {
  const watchdog = createWatchdog(platform, () => {});
  const children = new Set<{ close(): Promise<void> }>();
  return {
    async start(program, env) {
      const options = { cwd, platform, watchdog, env, mask: (text: string) => text, onStderr: () => {} };
      const child = await startChild(program, options);
      children.add(child);
      return child;
    },
    async close() {
      await Promise.all(Array.from(children, (child) => child.close()));
    },
  };
}
