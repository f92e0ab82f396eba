import { join } from 'node:path';
import { cacheKeyOf } from '../../../config/resolve/entry-identity.js';
import { createToolCacheFiles, keptForMs } from '../../../downstream/cache/tool-cache-files.js';
import type { Computer } from '../../../platform/computer.js';
import { cacheDirectoryOf } from '../../../platform/directories.js';
import type { Group } from '../../../setup/grouping/propose-groups.js';
import type { Configured } from '../../frame/configured.js';

/** Cached tools are stored under the name of the toolbox, so they are copied when a server moves. */
export async function keepKnownTools(groups: readonly Group[], before: Configured, computer: Computer): Promise<void> {
  const cache = createToolCacheFiles(join(cacheDirectoryOf(computer), 'tools'), keptForMs);
  for (const { toolbox: to, servers } of groups)
    for (const { toolbox: from, server } of servers.filter(({ toolbox }) => toolbox !== to)) {
      const entry = before.toolboxes.get(from)?.mcpServers.get(server);
      if (entry === undefined) continue;
      const keyIn = (toolbox: string) => ({ cacheKey: cacheKeyOf(before.path, { toolbox, name: server }, entry) });
      const known = await cache.get(keyIn(from));
      if (known !== undefined) cache.put(keyIn(to), known);
    }
  await cache.flush();
}
