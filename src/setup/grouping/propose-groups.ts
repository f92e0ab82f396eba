import { everyday } from '../group-servers.js';
import type { OwnEntry } from '../own-entry.js';
import { type DescribedServer, describeGroup } from './group-description.js';
import { byOrder, type Topic, topicOf } from './topics.js';

/** A server that may go into another toolbox. */
export interface GroupedServer extends DescribedServer {
  readonly toolbox: string;
  readonly entry: OwnEntry;
}

/** Servers that stay together; `project`: the one that they are for. */
export interface FixedToolbox {
  readonly toolbox: string;
  readonly project?: string | undefined;
  readonly servers: readonly GroupedServer[];
}

/** The toolboxes of a configuration. */
export interface Grouping {
  /** The servers that may move. */
  readonly movable: readonly GroupedServer[];
  /** Toolboxes that are only described. */
  readonly fixed: readonly FixedToolbox[];
  /** Names that further toolboxes have. */
  readonly taken: ReadonlySet<string>;
}

/** A toolbox as it is proposed. */
export interface Group {
  readonly toolbox: string;
  /** Undefined if nothing is known about its servers. */
  readonly description: string | undefined;
  readonly servers: readonly GroupedServer[];
}

const most = 5;

/**
 * Two to five groups of servers by what their tools do. If there is nothing to tell apart, the toolboxes stay as they are, and
 * are described. The same servers always give the same groups.
 */
export function proposeGroups({ movable, fixed, taken }: Grouping): Group[] {
  const topics = new Map(movable.map((server) => [server, topicOf(server)]));
  const kept = keptTopics([...topics.values()], movable.length);
  const groups = new Map<Topic | undefined, GroupedServer[]>();
  for (const server of movable) {
    const topic = topics.get(server);
    place(server, topic !== undefined && kept.includes(topic) ? topic : undefined, groups);
  }
  if (groups.size < 2) return [...toolboxesOf(movable), ...fixed].map(describeFixed);
  const names = new Set([...taken, ...fixed.map(({ toolbox }) => toolbox)]);
  const proposed = [...kept, undefined].flatMap((topic): Group[] => {
    const servers = groups.get(topic) ?? [];
    if (servers.length === 0) return [];
    const toolbox = freeName(topic?.name ?? everyday, names);
    names.add(toolbox);
    return [describeFixed({ toolbox, servers })];
  });
  return [...proposed, ...fixed.map(describeFixed)];
}

function toolboxesOf(servers: readonly GroupedServer[]): FixedToolbox[] {
  const names = [...new Set(servers.map(({ toolbox }) => toolbox))];
  return names.map((toolbox) => ({ toolbox, servers: servers.filter((server) => server.toolbox === toolbox) }));
}

function describeFixed({ toolbox, project, servers }: FixedToolbox): Group {
  const found = servers.map(topicOf);
  const topics = [...new Set(found.flatMap((topic) => topic ?? []))].toSorted(byOrder);
  const description = describeGroup(servers, { topics, hasOthers: found.includes(undefined), project });
  return { toolbox, description, servers };
}

/** The topics that get a toolbox: as many as leave two servers for each on average, the largest first. */
function keptTopics(all: readonly (Topic | undefined)[], servers: number): Topic[] {
  const counts = new Map<Topic, number>();
  for (const topic of all) if (topic !== undefined) counts.set(topic, (counts.get(topic) ?? 0) + 1);
  const room = Math.min(most, Math.max(1, Math.ceil(servers / 2)));
  const bySize = [...counts.keys()].toSorted(
    (one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0) || byOrder(one, other),
  );
  const hasRest = all.includes(undefined) || bySize.length > room;
  return bySize.slice(0, hasRest ? room - 1 : room).toSorted(byOrder);
}

/** Two servers of one name cannot be in one toolbox: then it goes to the rest, or stays where it is. */
function place(
  server: GroupedServer,
  wanted: Topic | undefined,
  groups: Map<Topic | undefined, GroupedServer[]>,
): void {
  for (const topic of new Set([wanted, ...(groups.has(undefined) ? [undefined] : [])])) {
    const group = groups.get(topic) ?? [];
    if (group.some((one) => one.server === server.server)) continue;
    groups.set(topic, [...group, server]);
    return;
  }
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name}-${number}`;
  return free;
}
