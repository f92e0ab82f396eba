import path from 'node:path';

interface Place {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly home: string;
}

/** The platform's directory for a user's configuration. */
export function configDirectoryOf({ env, platform, home }: Place): string {
  const paths = pathsOf(platform);
  switch (platform) {
    case 'win32':
      return paths.join(absolute(env['APPDATA'], platform) ?? paths.join(home, 'AppData', 'Roaming'), ownName);
    case 'darwin':
      return paths.join(home, 'Library', 'Application Support', ownName);
    default:
      return paths.join(absolute(env['XDG_CONFIG_HOME'], platform) ?? paths.join(home, '.config'), ownName);
  }
}

/** The platform's directory for what must be kept but is not written by hand. */
export function stateDirectoryOf({ env, platform, home }: Place): string {
  const paths = pathsOf(platform);
  switch (platform) {
    case 'win32':
      return localDirectory(env, home);
    case 'darwin':
      return paths.join(home, 'Library', 'Application Support', ownName);
    default:
      return paths.join(absolute(env['XDG_STATE_HOME'], platform) ?? paths.join(home, '.local', 'state'), ownName);
  }
}

/** The platform's directory for what belongs to the user and cannot be made again: logins, programs. */
export function dataDirectoryOf(place: Place): string {
  const { env, platform, home } = place;
  if (platform === 'win32' || platform === 'darwin') return stateDirectoryOf(place);
  const paths = pathsOf(platform);
  return paths.join(absolute(env['XDG_DATA_HOME'], platform) ?? paths.join(home, '.local', 'share'), ownName);
}

/** The platform's directory for a user's logs. */
export function logDirectoryOf(place: Place): string {
  const { platform, home } = place;
  const paths = pathsOf(platform);
  return platform === 'darwin'
    ? paths.join(home, 'Library', 'Logs', ownName)
    : paths.join(stateDirectoryOf(place), 'logs');
}

/** The platform's directory for a user's caches. */
export function cacheDirectoryOf({ env, platform, home }: Place): string {
  const paths = pathsOf(platform);
  switch (platform) {
    case 'win32':
      return paths.join(localDirectory(env, home), 'cache');
    case 'darwin':
      return paths.join(home, 'Library', 'Caches', ownName);
    default:
      return paths.join(absolute(env['XDG_CACHE_HOME'], platform) ?? paths.join(home, '.cache'), ownName);
  }
}

/** The part of one of these paths that ends with the directory of ours: what is above it belongs to the platform. */
export function ownPartOf(directory: string, platform: string): string {
  const paths = pathsOf(platform);
  for (let at = directory; paths.dirname(at) !== at; at = paths.dirname(at))
    if (paths.basename(at) === ownName) return at;
  return directory;
}

const ownName = 'mcp-workbench';

function localDirectory(env: Place['env'], home: string): string {
  const paths = path.win32;
  return paths.join(absolute(env['LOCALAPPDATA'], 'win32') ?? paths.join(home, 'AppData', 'Local'), ownName);
}

function pathsOf(platform: string): path.PlatformPath {
  return platform === 'win32' ? path.win32 : path.posix;
}

/** A relative path would lead into the working directory, which may be anyone's. The XDG specification says to ignore it, too. */
function absolute(value: string | undefined, platform: string): string | undefined {
  return value !== undefined && pathsOf(platform).isAbsolute(value) ? value : undefined;
}
