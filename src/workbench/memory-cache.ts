import type { ServerConfig } from '../config/config.js';
import type { KnownTools, ToolCache } from './ports/tool-cache.js';

/** A tool cache without files: its entries last as long as the process. */
export function createMemoryCache(): ToolCache {
  const entries = new WeakMap<ServerConfig, KnownTools>();
  return {
    get: async (server) => entries.get(server),
    put: (server, known) => void entries.set(server, known),
    flush: async () => {},
  };
}
