import type { Config } from '../config/config.js';
import type { Overview } from './toolbox.js';

/** What is configured, for whoever is to be told of it. */
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
