import path from 'node:path';
import { kindOf } from './known-packages.js';
import type { ImportedServer } from './merge-servers.js';

/** Servers that go into one toolbox. */
export interface ToolboxPlan {
  readonly name: string;
  readonly servers: readonly ImportedServer[];
  /** The project that it is for. */
  readonly project?: string;
}

const mostInOne = 8;
export const everyday = 'everyday';

/**
 * Servers of a project go into a toolbox of its name, all others into one; if they are many, those for the web and for
 * databases have their own. `only`: the toolbox that all go into.
 */
export function groupServers(servers: readonly ImportedServer[], only: string | undefined): ToolboxPlan[] {
  if (only !== undefined) return servers.length === 0 ? [] : [{ name: only, servers }];
  const general = servers.filter(({ project }) => project === undefined);
  const isSplit = general.length > mostInOne;
  const groups = new Map<string, ImportedServer[]>();
  for (const server of general) {
    const name = (isSplit ? kindOf(server.entry) : undefined) ?? everyday;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [server]);
    else group.push(server);
  }
  const order = [everyday, 'web', 'data'].filter((name) => groups.has(name));
  const taken = new Set(order);
  const projects = [...new Set(servers.flatMap(({ project }) => project ?? []))].map((project) => ({
    name: projectName(project, taken),
    servers: servers.filter((server) => server.project === project),
    project,
  }));
  return [...order.map((name) => ({ name, servers: groups.get(name) ?? [] })), ...projects];
}

/** The toolbox of a project. */
export function projectToolbox(project: string): string {
  const base = path.basename(project);
  return base === '' || base === '*' ? 'project' : base;
}

/** The same, if no other has its name. */
function projectName(project: string, taken: Set<string>): string {
  const plain = projectToolbox(project);
  const names = [plain, `${path.basename(path.dirname(project)) || 'project'}-${plain}`];
  const name = names.find((one) => !taken.has(one)) ?? `${plain}-${taken.size}`;
  taken.add(name);
  return name;
}
