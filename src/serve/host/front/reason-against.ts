interface Process {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly versions: Readonly<Record<string, string | undefined>>;
}

/** Settings of Node.js for the whole process, which requests to remote servers depend on. */
const nodeSettings = ['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'NODE_TLS_REJECT_UNAUTHORIZED'];

/**
 * Why a session runs its servers in its own process; undefined if it uses the host. `shared` and `text` are those of its configuration.
 * The start itself looks at the variables as well, so that a session without a host loads nothing for it.
 */
export function reasonAgainst({ env, platform, versions }: Process, shared: boolean, text = ''): string | undefined {
  if (platform === 'win32') return 'there is no host on Windows';
  const { CI, WORKBENCH_SHARED: wanted } = env;
  if (wanted === '0') return 'WORKBENCH_SHARED is 0';
  if (wanted !== '1' && CI) return 'CI is set';
  if (wanted !== '1' && !shared) return 'the configuration has "shared": false';
  if (versions['electron'] !== undefined || versions['bun'] !== undefined) return 'it is not run by Node.js itself';
  const setting = nodeSettings.find((name) => env[name]);
  return setting !== undefined && /\bhttps?:/.test(text)
    ? `${setting} is set, which a host would not have, and there are remote servers`
    : undefined;
}
