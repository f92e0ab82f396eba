import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configDirectoryOf } from '../../src/platform/directories.js';
import { type Finished, runCommand, runOnTerminal } from './commands.js';
import { type TestConfig, writeConfig, writeConfigText } from './configs.js';
import { temporaryDirectory } from './launch.js';
import { markerVariable } from './processes.js';

/** The home directory of a user who runs commands. */
export interface Home {
  readonly directory: string;
  /** The configuration file, whether it exists or not. */
  readonly config: string;
  /** The environment that makes it the home of a program. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs a command to its end, without a terminal. */
  run(...args: string[]): Promise<Finished>;
  /** The same on a terminal without colours: what it shows, with plain ends of lines. */
  see(args: readonly string[], columns?: number): Promise<{ readonly code: number | null; readonly screen: string }>;
}

/** A new home, with the user's configuration if one is given. */
export function createHome(config?: TestConfig | string): Home {
  const directory = temporaryDirectory();
  const folder = configDirectoryOf({ env: {}, platform: process.platform, home: directory });
  mkdirSync(folder, { recursive: true });
  if (typeof config === 'string') writeConfigText(folder, config);
  else if (config !== undefined) writeConfig(folder, config);
  const windows = { USERPROFILE: directory, APPDATA: join(directory, 'AppData', 'Roaming'), LOCALAPPDATA: directory };
  const env = { HOME: directory, LANG: 'C.UTF-8', ...(process.platform === 'win32' && windows) };
  return {
    directory,
    config: join(folder, 'workbench-config.json'),
    env,
    run: (...args) => runCommand(args, { env }),
    async see(args, columns = 80) {
      const terminal = runOnTerminal(args, { env: { ...env, NO_COLOR: '1' }, columns });
      const code = await terminal.exited;
      return { code, screen: terminal.screen().replaceAll('\r\n', '\n') };
    },
  };
}

/** For the environment of an entry: its processes are found by the marker of whoever starts them. */
export const marked = { [markerVariable]: `\${${markerVariable}}` };

/** A directory with the program under the name that users type, for PATH. */
export function programDirectory(): string {
  const directory = temporaryDirectory();
  symlinkSync(fileURLToPath(new URL('../../dist/main.js', import.meta.url)), join(directory, 'mcp-workbench'));
  return directory;
}

/** A configuration of a person, with comments. */
export const commented = `// Mine.
{
  "toolboxes": {
    "dev": {
      "description": "Code", // the agent chooses by it
      "mcpServers": {
        // Reads issues.
        "github": { "command": "gh", "args": ["x"] }, // pinned
        "web": { "url": "https://a.example/mcp" }
      }
    },
    "data": { "description": "Data", "mcpServers": { "sql": { "command": "sql", "enabled": false } } }
  }
}
`;
