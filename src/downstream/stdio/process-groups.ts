import { createProcessGroup, type Leader, type ProcessGroup } from './process-group.js';
import { createProcessTable } from './process-table.js';
import { createWindowsTrees } from './windows-tree.js';

export type GroupOf = (leader: Leader) => ProcessGroup;

/** Created once: all groups share the lookups of processes. */
export function createProcessGroups(platform: string): GroupOf {
  if (platform === 'win32') return createWindowsTrees();
  const table = platform === 'linux' ? createProcessTable() : undefined;
  return (leader) => createProcessGroup(leader, table);
}
