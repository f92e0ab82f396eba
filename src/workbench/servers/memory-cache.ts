import type { KnownTools, ToolCache } from '../ports/tool-cache.js';

/** A tool cache without files: its entries last as long as the process. */
export function createMemoryCache(): ToolCache {
  const entries = new Map<string, KnownTools>();
  return {
    get: async ({ cacheKey }) => entries.get(cacheKey),
    put: ({ cacheKey }, known) => void entries.set(cacheKey, known),
    flush: async () => {},
  };
}
