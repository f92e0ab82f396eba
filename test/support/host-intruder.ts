import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { helloOf } from './host-client.js';
import type { SharedSessions } from './shared.js';

const program = fileURLToPath(new URL('../fixtures/host-intruder.mjs', import.meta.url));

/** What a host answers to a process that attaches: started by the given command, and saying that it is another one if `pid` is given. */
export function intrude({ socket }: SharedSessions, through: readonly string[], pid?: number): unknown {
  const [command, ...args] = [...through, process.execPath, program, socket, helloOf().trim()];
  const answer = execFileSync(command, pid === undefined ? args : [...args, String(pid)], { encoding: 'utf8' });
  return JSON.parse(answer);
}

/** The answer to one that is not served. */
export function refused(why: RegExp): object {
  return { workbench: 1, error: { code: 'FAILED', message: expect.stringMatching(why) } };
}

/** The answer to one that is served. */
export const served = { workbench: 1, attached: { session: expect.any(String) } };
