import { join } from 'node:path';
import { toolHash } from '../config/lock-file/locked-tool.js';
import type { ServerNames } from '../config/lock-file/tool-lock.js';
import type { PackageVersion } from '../contract/package-version.js';
import type { Tool } from '../contract/types.js';
import { createToolCacheFiles, keptForMs } from '../downstream/cache/tool-cache-files.js';
import { readToolSummary } from '../downstream/cache/tool-cache-summary.js';
import type { Computer } from '../platform/computer.js';
import { cacheDirectoryOf } from '../platform/directories.js';
import { type KnownTools, reachableTools } from './known-tools.js';
import { readLockOf } from './lock-changes.js';
import { type WrittenConfiguration, writtenServers } from './written-servers.js';

/** A server and its known tools in full, as far as they pass its filters and rules. */
export interface KnownServer extends Omit<KnownTools<Tool>, 'tools'>, ServerNames {
  readonly toolboxDescription: string | undefined;
  readonly description: string | undefined;
  readonly instructions: string | undefined;
  readonly isDisabled: boolean;
  /** Undefined if they were never listed. */
  readonly tools: readonly Tool[] | undefined;
  /** The same, whatever filters and rules say. */
  readonly listed: readonly Tool[] | undefined;
  /** When they were listed, in ms since 1970. */
  readonly at: number | undefined;
  /** What it was started from then, if npm was asked for it. */
  readonly package: PackageVersion | undefined;
  readonly cacheKey: string;
}

/** The servers that are wanted, with their tools from the cache. Starts nothing. */
export async function knownServers(
  written: WrittenConfiguration,
  computer: Computer,
  wanted: Partial<ServerNames>,
): Promise<KnownServer[]> {
  const directory = join(cacheDirectoryOf(computer), 'tools');
  const cache = createToolCacheFiles(directory, keptForMs);
  const compare = await readLockOf(written.path, computer);
  const servers: KnownServer[] = [];
  for (const one of writtenServers(written, wanted)) {
    const { toolbox, server, entry, box } = one;
    // One after the other: a hundred files do not take a hundred descriptors.
    const known = await cache.get(one);
    const summary = known && readToolSummary(directory, one);
    const reachable = reachableTools(known?.tools ?? [], one, compare, toolHash);
    servers.push({
      ...{ toolbox, server, toolboxDescription: box.description, ...reachable },
      description: known?.about,
      instructions: known?.instructions,
      isDisabled: entry.disabled === true,
      tools: known && reachable.tools,
      listed: known?.tools,
      at: summary?.at,
      package: summary?.package,
      cacheKey: one.cacheKey,
    });
  }
  return servers;
}
