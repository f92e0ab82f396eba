import type { Config, HeldServers, ServerConfig, ToolboxConfig } from '../config.js';
import type { Configuration } from '../read/configuration.js';

/** A configuration in which some servers are not yet what its file says. `notice`: a line on this for the agent. */
export function withHeld(configuration: Configuration, held: HeldServers, notice?: string): Configuration {
  const { source, overview } = configuration;
  const isServed = (toolbox: string, server: string) => {
    const servers = held.get(toolbox);
    return servers?.has(server) !== true || servers.get(server)?.disabled === false;
  };
  const toolboxes = overview.toolboxes.map((box) => ({
    ...box,
    servers: box.servers.filter((server) => isServed(box.name, server)),
  }));
  return {
    ...configuration,
    source: source && (notice === undefined ? source : { ...source, notice }),
    overview: { ...overview, toolboxes: toolboxes.filter(({ name }) => !isEmptied(name, overview, toolboxes)) },
    held,
    async load(assembled) {
      const config = await configuration.load(assembled);
      return { ...holding(config, held), ...(notice !== undefined && { notice }) };
    },
    forUser: (user, its) => withHeld(configuration.forUser(user, its), withoutServers(held), notice),
  };
}

/** What waits was resolved for one session, and is no other user's. */
function withoutServers(held: HeldServers): HeldServers {
  return new Map(
    Array.from(held, ([toolbox, servers]) => [
      toolbox,
      new Map(Array.from(servers.keys(), (name) => [name, undefined])),
    ]),
  );
}

type Overviewed = Configuration['overview']['toolboxes'];

/** A toolbox without servers would be a fault in a file. */
function isEmptied(name: string, { toolboxes }: Configuration['overview'], left: Overviewed): boolean {
  const count = (all: Overviewed) => all.find((box) => box.name === name)?.servers.length ?? 0;
  return count(toolboxes) > 0 && count(left) === 0;
}

function holding(config: Config, held: HeldServers): Config {
  const toolboxes = Array.from(config.toolboxes, ([name, box]) => {
    const own = held.get(name);
    return [name, own === undefined ? box : { ...box, servers: serversOf(box, own) }] as const;
  });
  return { ...config, toolboxes: new Map(toolboxes.filter(([, { servers }]) => servers.size > 0)) };
}

function serversOf({ servers }: ToolboxConfig, held: ReadonlyMap<string, ServerConfig | undefined>) {
  const all = Array.from(servers, ([name, server]) => [name, held.has(name) ? held.get(name) : server] as const);
  return new Map(all.flatMap(([name, server]) => (server === undefined ? [] : [[name, server] as const])));
}

/** Names that no object of a configuration has. */
const mapKey = '\0map';

/** For a process of the same build. */
export function encodeHeld(held: HeldServers): string {
  return JSON.stringify(held, (_, value: unknown) => (value instanceof Map ? { [mapKey]: [...value] } : value));
}

/** Throws if the text is not what `encodeHeld` writes. */
export function decodeHeld(text: string): HeldServers {
  const decoded: unknown = JSON.parse(text, (_, value: unknown) =>
    typeof value === 'object' && value !== null && mapKey in value ? mapFrom(value[mapKey]) : value,
  );
  if (!(decoded instanceof Map)) throw new Error('not a map of servers');
  // What is in it was a `HeldServers` in a process of this build, with the rights of this one.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return decoded as HeldServers;
}

function mapFrom(entries: unknown): Map<unknown, unknown> {
  const all: readonly unknown[] = Array.isArray(entries) ? entries : [];
  return new Map(
    all.map((entry) => {
      const pair: readonly unknown[] = Array.isArray(entry) ? entry : [];
      // JSON has no undefined.
      return [pair[0], pair[1] ?? undefined] as const;
    }),
  );
}
