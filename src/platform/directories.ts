import path from 'node:path';

interface Place {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly home: string;
}

/** The platform's directory for a user's logs. */
export function logDirectoryOf({ env, platform, home }: Place): string {
  switch (platform) {
    case 'win32':
      return path.win32.join(env['LOCALAPPDATA'] || path.win32.join(home, 'AppData', 'Local'), 'mcp-workbench', 'logs');
    case 'darwin':
      return path.posix.join(home, 'Library', 'Logs', 'mcp-workbench');
    default:
      return path.posix.join(
        env['XDG_STATE_HOME'] || path.posix.join(home, '.local', 'state'),
        'mcp-workbench',
        'logs',
      );
  }
}

/** The platform's directory for a user's caches. */
export function cacheDirectoryOf({ env, platform, home }: Place): string {
  switch (platform) {
    case 'win32':
      return path.win32.join(
        env['LOCALAPPDATA'] || path.win32.join(home, 'AppData', 'Local'),
        'mcp-workbench',
        'cache',
      );
    case 'darwin':
      return path.posix.join(home, 'Library', 'Caches', 'mcp-workbench');
    default:
      return path.posix.join(env['XDG_CACHE_HOME'] || path.posix.join(home, '.cache'), 'mcp-workbench');
  }
}
