import type { Config } from '../../config/config.js';
import { WorkbenchError } from '../../contract/errors.js';
import { readConfigured } from '../configured.js';
import { seconds } from '../screen/amounts.js';
import { withWorkbench } from '../with-workbench.js';
import type { Call } from './command.js';
import { type KnownServer, knownServers } from './known-servers.js';

interface ServerName {
  readonly toolbox: string;
  readonly server: string;
}

/** Starts one server, so that its tools are listed and kept. Throws if it cannot be started. */
export async function listOnce(
  { value, computer, output }: Call,
  { toolbox, server }: ServerName,
): Promise<KnownServer> {
  const config = value('config');
  const begun = performance.now();
  const done = output.progress(`starting ${server}`);
  try {
    await withWorkbench(
      config,
      computer,
      output,
      // Only names: the tools themselves are read from the cache.
      (workbench, signal) => workbench.openToolbox({ toolbox, detail: 'names' }, { signal }),
      (whole) => only(whole, { toolbox, server }),
    );
  } finally {
    done(seconds(performance.now() - begun));
  }
  const configured = await readConfigured(config, computer, () => {});
  const [known] = configured === undefined ? [] : await knownServers(configured, computer, { toolbox, server });
  if (known?.tools !== undefined) return known;
  const text = `Server '${server}' in toolbox '${toolbox}' did not list its tools in time.`;
  throw new WorkbenchError('SERVER_STARTING', text, { place: { toolbox, server } });
}

/** The configuration with nothing but this server. */
function only(config: Config, { toolbox, server }: ServerName): Config {
  const box = config.toolboxes.get(toolbox);
  const entry = box?.servers.get(server);
  if (box === undefined || entry === undefined) return config;
  return { ...config, toolboxes: new Map([[toolbox, { ...box, servers: new Map([[server, entry]]) }]]) };
}
