import path from 'node:path';

export interface FindOptions {
  /** The value of `--config`. */
  readonly path?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly platform: string;
  readonly home: string;
}

export interface Candidate {
  readonly path: string;
  /** The option or variable that names it. A named file must exist. */
  readonly namedBy?: string;
}

/** Where to look for the configuration; the first file that exists is used. */
export function configCandidates(options: FindOptions): Candidate[] {
  const { env, cwd, platform, home } = options;
  const paths = platform === 'win32' ? path.win32 : path.posix;
  const named = (file: string, namedBy: string) => [{ path: paths.resolve(cwd, expandHome(file, home)), namedBy }];
  if (options.path !== undefined) return named(options.path, '--config');
  const fromEnvironment = env.WORKBENCH_CONFIG;
  if (fromEnvironment) return named(fromEnvironment, 'WORKBENCH_CONFIG');
  return [
    { path: paths.resolve(cwd, fileName) },
    { path: paths.join(userDirectory(options, paths), 'mcp-workbench', fileName) },
  ];
}

const fileName = 'workbench-config.json';

function userDirectory({ env, platform, home }: FindOptions, paths: path.PlatformPath): string {
  if (platform === 'win32') return env.APPDATA || paths.join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return paths.join(home, 'Library', 'Application Support');
  const configured = env.XDG_CONFIG_HOME;
  // The XDG specification says to ignore a relative path.
  return configured && paths.isAbsolute(configured) ? configured : paths.join(home, '.config');
}

/** Clients start us without a shell, so nothing else expands a leading `~`. */
export function expandHome(file: string, home: string): string {
  return /^~(?:[/\\]|$)/.test(file) ? home + file.slice(1) : file;
}
