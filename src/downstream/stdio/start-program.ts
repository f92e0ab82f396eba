import type { ServerConfig } from '../../config/config.js';
import type { Computer } from '../../platform/computer.js';
import { createMasks } from '../masking/masks.js';
import { startChild } from './child.js';
import { minimalEnvironment } from './environment.js';
import type { StartProgram } from './runners/ask-npm.js';
import { createWatchdog } from './watchdog.js';

/** Starts programs for a command of ours, on behalf of servers. */
export interface ProgramStarter {
  /** `mask`: of what is said about the server. What a program writes is not logged. */
  of(server: ServerConfig): Promise<{ readonly start: StartProgram; readonly mask: (text: string) => string }>;
  /** Resolves when no process of them is left. */
  readonly close: () => Promise<void>;
}

export function createProgramStarter(computer: Computer): ProgramStarter {
  const { cwd, platform } = computer;
  const watchdog = createWatchdog(platform, () => {});
  const masks = createMasks(minimalEnvironment(computer.env, platform));
  const children = new Set<{ close(): Promise<void> }>();
  return {
    async of(server) {
      const { text: mask } = masks.of(server);
      return {
        mask,
        async start(program, env) {
          const child = await startChild(program, {
            cwd,
            platform,
            watchdog,
            env,
            mask,
            onStderr: () => {},
          });
          children.add(child);
          return child;
        },
      };
    },
    async close() {
      await Promise.all(Array.from(children, (child) => child.close()));
    },
  };
}
