import type { Config } from '../config/config.js';
import type { Overview } from './toolbox.js';

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
