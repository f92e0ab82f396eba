import type { ServerNames } from '../../../config/lock-file/tool-lock.js';
import { WorkbenchError } from '../../../contract/errors.js';
import { type KnownServer, knownServers } from '../../../inspect/known-servers.js';
import type { Call } from '../../frame/command.js';
import { readConfigured } from '../../frame/configured.js';
import { only, withWorkbench } from '../../frame/with-workbench.js';
import { startLines } from '../call/start-lines.js';

/** Starts one server, so that its tools are listed and kept. Throws if it cannot be started. */
export async function listOnce(
  { value, computer, output }: Call,
  { toolbox, server }: ServerNames,
): Promise<KnownServer> {
  const config = value('config');
  await withWorkbench(
    { config, computer, narrow: (whole) => only(whole, toolbox, server), observer: startLines(output) },
    ({ workbench, signal }) => workbench.inspect({ toolbox, server }, { signal }),
  );
  const configured = await readConfigured(config, computer, () => {});
  const [known] = configured === undefined ? [] : await knownServers(configured, computer, { toolbox, server });
  if (known?.tools !== undefined) return known;
  const text = `Server '${server}' in toolbox '${toolbox}' did not list its tools in time.`;
  throw new WorkbenchError('SERVER_STARTING', text, { place: { toolbox, server } });
}
