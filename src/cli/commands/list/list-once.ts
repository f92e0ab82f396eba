import { setTimeout as wait } from 'node:timers/promises';
import type { ServerNames } from '../../../config/lock-file/tool-lock.js';
import { WorkbenchError } from '../../../contract/errors.js';
import { type KnownServer, knownServers } from '../../../inspect/known-servers.js';
import type { Call } from '../../frame/command.js';
import { readConfigured } from '../../frame/configured.js';
import { withSession } from '../../frame/with-session.js';
import { startLines } from '../call/start-lines.js';

const keptWithinMs = 2_000;

/** Starts one server, so that its tools are listed and kept. Throws if it cannot be started. */
export async function listOnce(call: Call, { toolbox, server }: ServerNames): Promise<KnownServer> {
  const { value, computer, output } = call;
  const listen = () => ({ server: startLines(output) });
  await withSession(call, listen, ({ session, signal }) => session.inspect({ toolbox, server }, signal));
  const configured = await readConfigured(value('config'), computer, () => {});
  // A host writes what it has listed a moment later.
  for (const limit = performance.now() + keptWithinMs; performance.now() < limit; ) {
    const [known] = configured === undefined ? [] : await knownServers(configured, computer, { toolbox, server });
    if (known?.tools !== undefined) return known;
    await wait(10);
  }
  const text = `Server '${server}' in toolbox '${toolbox}' did not list its tools in time.`;
  throw new WorkbenchError('SERVER_STARTING', text, { place: { toolbox, server } });
}
