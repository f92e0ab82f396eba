import { createProcessGroup, type Leader, type ProcessGroup } from './process-group.js';
import { createProcessTable } from './process-table.js';
import { createWindowsTrees } from './windows-tree.js';

export type GroupOf = (leader: Leader) => ProcessGroup;

/** To be made once: what has to be looked up about the processes of this computer is looked up for all groups together. */
export function createProcessGroups(platform: string): GroupOf {
  if (platform === 'win32') return createWindowsTrees();
  const table = platform === 'linux' ? createProcessTable() : undefined;
  return (leader) => createProcessGroup(leader, table);
}
