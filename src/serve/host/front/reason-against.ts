import type { ConfigFile } from '../../../config/schema/schema.js';
import { urlsIn } from '../../../config/schema/transport.js';

interface Process {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly versions: Readonly<Record<string, string | undefined>>;
}

/** What decides in a configuration; without a file, it is the embedded one. */
interface Written {
  readonly shared: boolean;
  readonly file: Pick<ConfigFile, 'toolboxes'> | undefined;
}

/**
 * Settings of Node.js for the whole process, which requests to remote servers depend on. `NODE_EXTRA_CA_CERTS` is not among them: a
 * host uses the certificates of each session.
 */
const nodeSettings = ['NODE_OPTIONS', 'NODE_TLS_REJECT_UNAUTHORIZED'];

/**
 * Why a session runs its servers in its own process; undefined if it uses the host. The start itself looks at the variables as well,
 * so that a session without a host loads nothing for it.
 */
export function reasonAgainst({ env, platform, versions }: Process, { shared, file }: Written): string | undefined {
  if (platform === 'win32') return 'there is no host on Windows';
  const { CI, WORKBENCH_SHARED: wanted } = env;
  if (wanted === '0') return 'WORKBENCH_SHARED is 0';
  if (wanted !== '1' && CI) return 'CI is set';
  if (wanted !== '1' && !shared) return 'the configuration has "shared": false';
  if (versions['electron'] !== undefined || versions['bun'] !== undefined) return 'it is not run by Node.js itself';
  const setting = nodeSettings.find((name) => env[name]);
  return setting !== undefined && hasRemoteServer(file)
    ? `${setting} is set, which a host would not have, and there are remote servers`
    : undefined;
}

function hasRemoteServer(file: Written['file']): boolean {
  return [...(file?.toolboxes.values() ?? [])].some(({ mcpServers }) =>
    [...mcpServers.values()].some((entry) => urlsIn(entry).length > 0),
  );
}
