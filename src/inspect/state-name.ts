import type { ServerStatus } from '../observe/status/protocol.js';

/**
 * How a server stands, for all that commands and the page show:
 * - `awake`, `starting`: in a session that runs
 * - `silent`: a session that may have started it does not answer
 * - `failed`, `unauthorized`: the last start failed, or the connection broke, and it was not started well since
 * - `asleep`: it was started before
 * - `unknown`: nothing is known about it
 */
export type StateName = Exclude<ServerStatus['state'], 'stopped'> | 'disabled' | 'silent' | 'unauthorized' | 'unknown';

export function isUnwell(state: StateName): boolean {
  return state === 'failed' || state === 'unauthorized';
}
