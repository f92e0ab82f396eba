import type { ServerConfig } from '../config/config.js';
import type { KnownTools, ToolCache } from './ports/tool-cache.js';

/** For a workbench without a place to write to: what was learned lasts as long as it does. */
export function createMemoryCache(): ToolCache {
  const entries = new WeakMap<ServerConfig, KnownTools>();
  return {
    get: async (server) => entries.get(server),
    put: (server, known) => void entries.set(server, known),
    flush: async () => {},
  };
}
