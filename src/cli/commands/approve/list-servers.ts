import type { ServerConfig } from '../../../config/config.js';
import type { ServerNames } from '../../../config/lock-file/tool-lock.js';
import type { CommandSession } from '../../../session/command-session.js';
import { isReachable, judgeOf } from '../../../workbench/rules/verdict.js';
import { eachAtMost } from '../../frame/each-at-most.js';
import type { Output } from '../../frame/screen/output.js';
import { opensBrowser } from '../doctor/check-servers.js';
import { type Running, showStarts } from '../doctor/live-starts.js';
import type { ListedServer } from './differences.js';

/** A server and what it lists, why it does not, or that it was not started because it may open a browser. */
export type Listed =
  | { readonly names: ServerNames; readonly listing: ListedServer }
  | { readonly names: ServerNames; readonly error: unknown }
  | { readonly names: ServerNames; readonly isSkipped: true };

/** Starts every server, some at a time. In the order of the configuration. */
export async function listServers(
  session: CommandSession,
  servers: readonly ServerConfig[],
  signal: AbortSignal,
  { mayOpenBrowser }: { readonly mayOpenBrowser: boolean },
  output: Output,
): Promise<Listed[]> {
  const running: Running = new Map();
  async function list(server: ServerConfig): Promise<Listed> {
    const names = { toolbox: server.toolbox, server: server.name };
    if (!mayOpenBrowser && opensBrowser(server)) return { names, isSkipped: true };
    running.set(server, performance.now());
    try {
      const { all, instructions, ready } = await session.inspect(names, signal);
      const judge = judgeOf(server);
      // Whatever the lock says: that is what is looked at.
      const reachable = all.filter((tool) => isReachable(judge(tool)));
      return { names, listing: { all, reachable, instructions, package: ready.package } };
    } catch (error) {
      signal.throwIfAborted();
      return { names, error };
    } finally {
      running.delete(server);
    }
  }
  const live = showStarts(running, output);
  try {
    return await eachAtMost(servers, signal, list);
  } finally {
    live.end();
  }
}
