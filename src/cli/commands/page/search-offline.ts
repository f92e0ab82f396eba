import { createLockFiles } from '../../../config/lock-file/lock-files.js';
import { readConfiguration } from '../../../config/read/configuration.js';
import { findFile } from '../../../config/read/find-file.js';
import { isWorkbenchError } from '../../../contract/errors.js';
import type { OpenToolboxResult } from '../../../contract/types.js';
import { createToolCacheFiles, keptForMs } from '../../../downstream/cache/tool-cache-files.js';
import type { Computer } from '../../../platform/computer.js';
import { loadPart } from '../../../platform/load-part.js';
import { silentLog } from '../../../platform/log.js';
import { fullText } from '../../../session/meta-tools/answers.js';
import type { ConnectDownstream } from '../../../workbench/ports/downstream.js';
import type { ToolCache } from '../../../workbench/ports/tool-cache.js';

export interface OfflineAnswer {
  /** To the letter. */
  readonly text: string;
  /** Undefined if the agent reads an error. */
  readonly opened: OpenToolboxResult | undefined;
}

/**
 * What an agent reads that calls `open_toolbox`, by the code that answers agents: in place of connections to servers there is what
 * they listed last. No server is started, and nothing is stored.
 */
export async function searchOffline(
  config: string | undefined,
  computer: Computer,
  directory: string,
  input: { readonly toolbox: string; readonly query: string },
): Promise<OfflineAnswer> {
  const { file } = await findFile(config, computer, () => {});
  const found = await readConfiguration(file, computer, silentLog);
  const { createEngine, assemble } = await loadPart(() => import('../../../compose.js'));
  const stored = createToolCacheFiles(directory, keptForMs);
  const cache: ToolCache = { get: (server) => stored.get(server), put() {}, flush: async () => {} };
  const connectFor = () => ({ connect: fromCache(cache) });
  const locks = createLockFiles(computer, silentLog, { keepsFiles: false });
  const engine = createEngine({ of: () => ({ connectFor, cache, locks }), flush: async () => {} }, silentLog);
  try {
    const opened = await engine.createWorkbench(await found.load(assemble)).openToolbox(input);
    return { text: JSON.stringify(opened), opened };
  } catch (error) {
    if (!isWorkbenchError(error)) throw error;
    return { text: fullText(error), opened: undefined };
  } finally {
    await engine.close();
  }
}

/** Connections that have tools and cannot call them. */
function fromCache(cache: ToolCache): ConnectDownstream {
  return async (server) => {
    const known = await cache.get(server);
    if (known === undefined) throw new Error('its tools are not known yet');
    const refuse = () => Promise.reject(new Error('nothing is called from the page'));
    return {
      instructions: known.instructions,
      about: known.about,
      listTools: async () => ({ tools: known.tools, omissions: known.omissions }),
      callTool: refuse,
      readResource: refuse,
      adjust() {},
      close: async () => {},
    };
  };
}
