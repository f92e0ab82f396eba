import type { ServerLock, ServerNames, ToolLock } from '../ports/tool-lock.js';
import { differenceOf } from './deviations.js';

export function createServerLock(lock: ToolLock, names: ServerNames, isFrozen: boolean): ServerLock {
  return {
    get revision() {
      return lock.revision;
    },
    isEnforced: (mode) => isFrozen || mode === 'strict',
    differenceOf(tool) {
      const approved = lock.approved(names);
      return approved === undefined && lock.problem !== undefined ? 'unverified' : differenceOf(tool, approved);
    },
    isApproved: (instructions) => lock.approved(names)?.instructions.includes(instructions) ?? false,
  };
}
