import type { Config, ToolboxConfig } from '../config/config.js';
import { WorkbenchError } from '../errors.js';
import type { Log } from '../log.js';
import { nearest } from '../nearest.js';
import type { CallToolResult, OpenToolboxResult, ToolIdentifier } from '../types.js';
import type { CallOptions, ConnectDownstream } from './downstream.js';
import { callFailed, connectFailed } from './failures.js';
import { openToolbox } from './open-toolbox.js';
import { createSupervisor, type Listing, type Supervisor } from './supervisor.js';
import { within } from './within.js';

/** The toolboxes of one configuration, and the servers in them that have been woken so far. */
export interface Workbench {
  /** What is configured; nothing is started to tell it. */
  overview(): Overview;
  /** Connects to the toolbox's servers and lists their tools. */
  openToolbox(toolbox: string, options?: OpenOptions): Promise<OpenToolboxResult>;
  /** Calls a tool of any configured server, in an opened toolbox or not. */
  useTool(
    identifier: ToolIdentifier,
    args?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<CallToolResult>;
  /** Ends every server. Afterwards nothing it started is left. */
  close(): Promise<void>;
}

export interface Overview {
  /** The file in use; undefined for the embedded default. */
  readonly configFile: string | undefined;
  readonly toolboxes: readonly ToolboxOverview[];
}

export interface ToolboxOverview {
  readonly name: string;
  readonly description: string;
  readonly servers: readonly string[];
}

export interface OpenOptions {
  readonly signal?: AbortSignal;
  /** Told each time one more of the servers has answered. */
  readonly onProgress?: (progress: OpenProgress) => void;
}

export interface OpenProgress {
  readonly ready: number;
  readonly total: number;
  readonly message: string;
}

/** A toolbox with its servers, in the order of the configuration. */
export interface Toolbox {
  readonly config: ToolboxConfig;
  readonly servers: ReadonlyMap<string, Supervisor>;
}

export function createWorkbench(config: Config, connect: ConnectDownstream, log: Log): Workbench {
  const toolboxes = new Map<string, Toolbox>();
  for (const [name, toolbox] of config.toolboxes) {
    const servers = new Map<string, Supervisor>();
    for (const [serverName, server] of toolbox.servers) servers.set(serverName, createSupervisor(server, connect, log));
    toolboxes.set(name, { config: toolbox, servers });
  }
  let closing: Promise<unknown> | undefined;

  function assertOpen(): void {
    if (closing !== undefined) throw new WorkbenchError('WORKBENCH_CLOSED', 'The workbench is shutting down');
  }

  function findToolbox(name: string): Toolbox {
    const toolbox = toolboxes.get(name);
    if (toolbox !== undefined) return toolbox;
    const names = [...toolboxes.keys()].join(', ') || 'none is configured';
    throw new WorkbenchError('TOOLBOX_NOT_FOUND', `Toolbox '${name}' not found. Available toolboxes: ${names}`, {
      place: { toolbox: name },
    });
  }

  function findServer(toolbox: Toolbox, name: string): Supervisor {
    const server = toolbox.servers.get(name);
    if (server !== undefined) return server;
    throw new WorkbenchError('SERVER_NOT_FOUND', `Server '${name}' not found in toolbox '${toolbox.config.name}'`, {
      place: { toolbox: toolbox.config.name, server: name },
      hint: `Servers in it: ${[...toolbox.servers.keys()].join(', ')}.`,
    });
  }

  async function assertTool(server: Supervisor, listing: Listing, id: ToolIdentifier): Promise<void> {
    if (listing.tools.has(id.name)) return;
    // The server may have gained the tool since; one fresh listing tells.
    const { tools } = await server.wake();
    if (!tools.has(id.name)) await tools.refresh();
    if (!tools.has(id.name))
      throw toolNotFound(
        id,
        tools.tools.map((tool) => tool.name),
      );
  }

  return {
    overview: () => overviewOf(config),

    async openToolbox(name, options = {}) {
      assertOpen();
      return openToolbox(findToolbox(name), config.openTimeoutMs, options);
    },

    async useTool(id, args = {}, options = {}) {
      assertOpen();
      const server = findServer(findToolbox(id.toolbox), id.server);
      if (server.server.disabled) throw connectFailed(id, 'it is disabled in the configuration');
      try {
        const listing = await within(config.openTimeoutMs, server.list(), options.signal);
        await assertTool(server, listing, id);
      } catch (cause) {
        throw connectFailed(id, cause);
      }
      try {
        return await server.call(id.name, args, options);
      } catch (cause) {
        throw callFailed(id, cause);
      }
    },

    async close() {
      const supervisors = [...toolboxes.values()].flatMap(({ servers }) => [...servers.values()]);
      closing ??= Promise.allSettled(supervisors.map((supervisor) => supervisor.close()));
      await closing;
    },
  };
}

function overviewOf({ source, toolboxes }: Config): Overview {
  return {
    configFile: source.kind === 'file' ? source.path : undefined,
    toolboxes: [...toolboxes.values()].map(({ name, description, servers }) => ({
      name,
      description,
      servers: [...servers.keys()],
    })),
  };
}

function toolNotFound(id: ToolIdentifier, names: readonly string[]): WorkbenchError {
  const near = nearest(id.name, names);
  const hint =
    near.length > 0
      ? `Did you mean ${near.map((name) => `'${name}'`).join(' or ')}?`
      : `Call open_toolbox({"toolbox":${JSON.stringify(id.toolbox)}}) to see its tools.`;
  return new WorkbenchError(
    'TOOL_NOT_FOUND',
    `Tool '${id.name}' not found in server '${id.server}' (toolbox '${id.toolbox}')`,
    { place: { toolbox: id.toolbox, server: id.server, tool: id.name }, hint },
  );
}
