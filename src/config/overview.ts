import type { Config } from './config.js';

export interface Overview {
  /** The file in use; undefined for the embedded default. */
  readonly configFile: string | undefined;
  readonly toolboxes: readonly ToolboxOverview[];
  /** A line of ours for the agent, on a file or a text that is not used. */
  readonly notice?: string | undefined;
  /** Why there is no toolbox, for the agent: the file has faults, and no earlier text of it is kept. */
  readonly fault?: string | undefined;
}

export interface ToolboxOverview {
  readonly name: string;
  readonly description: string | undefined;
  /** The enabled ones. */
  readonly servers: readonly string[];
}

/** A summary of the configuration: toolboxes and their enabled servers. */
export function overviewOf({ source, toolboxes }: Config): Overview {
  return {
    configFile: source.kind === 'file' ? source.path : undefined,
    toolboxes: [...toolboxes.values()].map(({ name, description, servers }) => ({
      name,
      description,
      servers: [...servers.values()].filter((server) => !server.disabled).map((server) => server.name),
    })),
  };
}
