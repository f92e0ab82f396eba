import type { ToolboxConfig } from './config.js';

const namesShown = 12;

/** The description of a toolbox, or one made of the names of the servers that it offers. */
export function describeToolbox({ description, servers }: ToolboxConfig): string {
  if (description !== undefined) return description;
  const names = [...servers.values()].filter(({ disabled }) => !disabled).map(({ name }) => name);
  if (names.length === 0) return 'All its servers are disabled';
  const more = names.length - namesShown;
  return `Tools of ${names.slice(0, namesShown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
