import type { Config } from '../config/config.js';
import { WorkbenchError } from '../errors.js';
import type { Log } from '../log.js';
import { nearest } from '../nearest.js';
import { shorten } from '../shorten.js';
import type { CallToolResult, OpenToolboxResult, Tool, ToolIdentifier } from '../types.js';
import type { CallOptions, ConnectDownstream } from './downstream.js';
import { callFailed, connectFailed, readFailed } from './failures.js';
import { needsTasks, openToolbox } from './open-toolbox.js';
import { createResourceRoutes } from './resource-routes.js';
import { createSupervisor, type Supervisor } from './supervisor.js';
import type { OpenOptions, Overview, Toolbox } from './toolbox.js';
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
  /** Reads a resource that the result of a tool linked to, from the server that it came from. */
  readResource(uri: string, options?: CallOptions): Promise<Readonly<Record<string, unknown>>>;
  /** Ends every server. Afterwards nothing it started is left. */
  close(): Promise<void>;
}

export function createWorkbench(config: Config, connect: ConnectDownstream, log: Log): Workbench {
  const toolboxes = new Map<string, Toolbox>();
  for (const [name, toolbox] of config.toolboxes) {
    const servers = new Map<string, Supervisor>();
    for (const [serverName, server] of toolbox.servers)
      servers.set(serverName, createSupervisor(server, connect, config.openTimeoutMs, log));
    toolboxes.set(name, { config: toolbox, servers });
  }
  const routes = createResourceRoutes();
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

  /** A tool that is not in the known list may be new; one fresh listing tells. */
  async function findTool(server: Supervisor, id: ToolIdentifier, { signal, agent }: CallOptions): Promise<Tool> {
    const known = (await within(config.openTimeoutMs, server.list(agent), signal)).tools.get(id.name);
    if (known !== undefined) return known;
    const { tools } = await within(config.openTimeoutMs, server.wake(agent), signal);
    await tools.refresh();
    const fresh = tools.get(id.name);
    if (fresh !== undefined) return fresh;
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
      const tool = await findTool(server, id, options).catch((cause: unknown) => {
        throw connectFailed(id, cause);
      });
      if (needsTasks(tool)) throw taskRequired(id);
      const result = await server.call(id.name, args, options).catch((cause: unknown) => {
        throw callFailed(id, cause);
      });
      routes.learn(result, id);
      return result.isError === true ? withExplanation(result, tool, args) : result;
    },

    async readResource(uri, options = {}) {
      assertOpen();
      const origin = routes.find(uri);
      if (origin === undefined) throw resourceNotFound(uri);
      const server = findServer(findToolbox(origin.toolbox), origin.server);
      return server.readResource(uri, options).catch((cause: unknown) => {
        throw readFailed(uri, origin, cause);
      });
    },

    async close() {
      const supervisors = [...toolboxes.values()].flatMap(({ servers }) => [...servers.values()]);
      closing ??= Promise.allSettled(supervisors.map((supervisor) => supervisor.close()));
      await closing;
    },
  };
}

/** A tool that failed on arguments which its own schema forbids may not have said so: then we do. */
async function withExplanation(
  result: CallToolResult,
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> {
  const { violations } = await import('./violations.js');
  const found = violations(tool, args);
  if (found === undefined) return result;
  return { ...result, content: [...(result.content ?? []), { type: 'text', text: found }] };
}

function taskRequired({ toolbox, server, name }: ToolIdentifier): WorkbenchError {
  const text = `Tool '${name}' of server '${server}' (toolbox '${toolbox}') can only be called as a task, which is not supported`;
  return new WorkbenchError('TOOL_NEEDS_TASKS', text, {
    place: { toolbox, server, tool: name },
    hint: 'Use another tool.',
  });
}

function resourceNotFound(uri: string): WorkbenchError {
  return new WorkbenchError('RESOURCE_NOT_FOUND', `Resource '${shorten(uri, 300)}' not found`, {
    hint: 'Only resources that a result of use_tool linked to can be read; call that tool again first.',
  });
}

function overviewOf({ source, toolboxes }: Config): Overview {
  return {
    configFile: source.kind === 'file' ? source.path : undefined,
    toolboxes: [...toolboxes.values()].map(({ name, description, servers }) => ({
      name,
      description,
      servers: [...servers.values()].filter((server) => !server.disabled).map((server) => server.name),
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
