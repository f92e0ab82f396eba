import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerConfig } from '../../src/config/config.js';
import { parseConfig } from '../../src/config/read/parse.js';
import { loginKeyOf, loginPath } from '../../src/downstream/oauth/login-path.js';
import { type Logins, openLogins } from '../../src/downstream/oauth/logins.js';
import { dataDirectoryOf } from '../../src/platform/directories.js';
import type { Authorization } from './authorization.js';
import { writeConfig } from './configs.js';
import { temporaryDirectory } from './launch.js';

/** A user with a home and a configuration: one remote server, `linear` in the toolbox `dev`. */
export interface LoginUser {
  /** For programs of this user. */
  readonly launch: { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };
  readonly server: ServerConfig;
  readonly logins: Logins;
  /** Where the login is stored. */
  readonly file: string;
  readonly warnings: string[];
  /** A whole login, without the program. */
  logIn(): Promise<void>;
  /** What is stored. */
  stored(): {
    readonly tokens?: { readonly access: string; readonly refresh?: string };
    readonly [key: string]: unknown;
  };
}

export function createLoginUser(remote: Authorization, entry: object = {}): LoginUser {
  const dir = temporaryDirectory();
  const home = join(dir, 'home');
  mkdirSync(home);
  const config = writeConfig(dir, {
    toolboxes: { dev: { description: 'For tests', mcpServers: { linear: { ...remote.entry, ...entry } } } },
  });
  const computer = { env: {}, cwd: dir, platform: process.platform, home };
  const parsed = parseConfig(readFileSync(config, 'utf8'), { ...computer, path: config });
  const server = parsed.toolboxes.get('dev')?.servers.get('linear');
  if (server?.target.kind !== 'remote') throw new Error('no remote server');
  const warnings: string[] = [];
  const logins = openLogins(computer, (message) => warnings.push(message));
  const file = loginPath(dataDirectoryOf(computer), loginKeyOf(server, server.target));
  return {
    launch: {
      args: ['--config', config],
      env: { HOME: home, USERPROFILE: home, LOCALAPPDATA: join(home, 'AppData', 'Local') },
    },
    server,
    logins,
    file,
    warnings,
    async logIn() {
      const login = await logins.begin(server, { listens: false });
      await login.paste(await remote.consent(login.url));
    },
    stored: () => JSON.parse(readFileSync(file, 'utf8')),
  };
}
