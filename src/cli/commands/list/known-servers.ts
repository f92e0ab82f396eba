import { join } from 'node:path';
import { toolHash } from '../../../config/lock-file/locked-tool.js';
import { cacheKeyOf } from '../../../config/resolve/entry-identity.js';
import { writtenRules } from '../../../config/resolve/tool-rules.js';
import type { Tool } from '../../../contract/types.js';
import { createToolCacheFiles, keptForMs } from '../../../downstream/cache/tool-cache-files.js';
import { readToolSummary } from '../../../downstream/cache/tool-cache-summary.js';
import type { Computer } from '../../../platform/computer.js';
import { cacheDirectoryOf } from '../../../platform/directories.js';
import { type JudgedTools, judgeTools } from '../../../workbench/rules/judge-tools.js';
import { judgeOf } from '../../../workbench/rules/verdict.js';
import type { Configured } from '../../frame/configured.js';
import { type DigestedTool, hasLock, type LockChanges, readLockOf } from '../../state/lock-changes.js';

/** A server and its known tools, as far as they pass its filters and rules. */
export interface KnownServer {
  readonly toolbox: string;
  readonly server: string;
  readonly toolboxDescription: string;
  readonly description: string | undefined;
  readonly instructions: string | undefined;
  readonly isDisabled: boolean;
  /** Undefined if they were never listed. */
  readonly tools: readonly Tool[] | undefined;
  /** Names of those that ask a person before each call, and of those that rules deny. */
  readonly asks: readonly string[];
  readonly denied: readonly string[];
  /** Undefined if nothing has changed since it was approved. */
  readonly changes: LockChanges | undefined;
  /** When they were listed, in ms since 1970. */
  readonly at: number | undefined;
}

/** The servers that are wanted, with their tools from the cache. Starts nothing. */
export async function knownServers(
  configured: Configured,
  computer: Computer,
  wanted: { readonly toolbox?: string | undefined; readonly server?: string | undefined },
): Promise<KnownServer[]> {
  const directory = join(cacheDirectoryOf(computer), 'tools');
  const cache = createToolCacheFiles(directory, keptForMs);
  const compare = await readLockOf(configured.path, computer);
  const { defaults } = configured.file;
  const servers: KnownServer[] = [];
  for (const [toolbox, { description: toolboxDescription, mcpServers }] of configured.toolboxes) {
    if (toolbox !== (wanted.toolbox ?? toolbox)) continue;
    for (const [server, entry] of mcpServers) {
      if (server !== (wanted.server ?? server)) continue;
      const key = { cacheKey: cacheKeyOf(configured.path, { toolbox, name: server }, entry) };
      // One after the other: a hundred files do not take a hundred descriptors.
      const known = await cache.get(key);
      const judged = judgeTools(known?.tools ?? [], judgeOf(writtenRules(entry, defaults)));
      servers.push({
        toolbox,
        server,
        toolboxDescription,
        description: known?.about,
        instructions: known?.instructions,
        isDisabled: entry.disabled === true,
        tools: known && judged.tools,
        asks: [...judged.asks],
        denied: deniedIn(judged),
        changes: hasLock(entry, defaults) ? compare({ toolbox, server }, judged.tools.map(digested)) : undefined,
        at: known && readToolSummary(directory, key)?.at,
      });
    }
  }
  return servers;
}

function digested(tool: Tool): DigestedTool {
  return { name: tool.name, digest: toolHash(tool) };
}

function deniedIn({ withheld }: JudgedTools): string[] {
  return [...withheld].filter(([, verdict]) => verdict === 'denied').map(([name]) => name);
}
