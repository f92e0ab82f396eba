import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { isRecord } from '../../src/jsonrpc/json.js';
import { type Finished, runCommand } from './commands.js';
import { temporaryDirectory } from './launch.js';

const fixtures = fileURLToPath(new URL('../fixtures/client-files/', import.meta.url));
const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** Where each client has its file on Linux, and the fixture that it has in it. */
export const clientFiles = {
  'claude-code': ['.claude.json', 'claude-code.json'],
  'claude-desktop': ['.config/Claude/claude_desktop_config.json', 'claude-desktop.json'],
  cursor: ['.cursor/mcp.json', 'cursor.json'],
  vscode: ['.config/Code/User/mcp.json', 'vscode.json'],
  codex: ['.codex/config.toml', 'codex.toml'],
  gemini: ['.gemini/settings.json', 'gemini.json'],
  opencode: ['.config/opencode/opencode.json', 'opencode.json'],
  windsurf: ['.codeium/windsurf/mcp_config.json', 'windsurf.json'],
  zed: ['.config/zed/settings.json', 'zed.json'],
  copilot: ['.copilot/mcp-config.json', 'copilot.json'],
  qwen: ['.qwen/settings.json', 'qwen.json'],
} as const;
export type FixtureClient = keyof typeof clientFiles;

/** A home of a user, with a configuration of the workbench and files of clients. */
export interface Home {
  readonly path: string;
  /** The file of a client. */
  readonly fileOf: (client: FixtureClient) => string;
  readonly read: (client: FixtureClient) => string;
  readonly write: (client: FixtureClient, text: string) => void;
  readonly run: (...args: string[]) => Promise<Finished>;
}

export function createHome(clients: readonly FixtureClient[] = [], env: Readonly<Record<string, string>> = {}): Home {
  const path = temporaryDirectory();
  const place = (file: string, fixture: string) => {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    copyFileSync(join(fixtures, fixture), join(path, file));
  };
  place('.config/mcp-workbench/workbench-config.json', 'workbench-config.json');
  for (const client of clients) place(clientFiles[client][0], clientFiles[client][1]);
  const fileOf = (client: FixtureClient) => join(path, clientFiles[client][0]);
  return {
    path,
    fileOf,
    read: (client) => (existsSync(fileOf(client)) ? readFileSync(fileOf(client), 'utf8') : ''),
    write(client, text) {
      mkdirSync(dirname(fileOf(client)), { recursive: true });
      writeFileSync(fileOf(client), text);
    },
    run: (...args) => runCommand(args, { env: { HOME: path, LANG: 'C.UTF-8', ...env }, cwd: path }),
  };
}

/** What connecting should make of the fixture of a client. */
export function goldenOf(client: FixtureClient, home: Home): string {
  const [, fixture] = clientFiles[client];
  const golden = readFileSync(join(fixtures, fixture.replace('.', '.after.')), 'utf8');
  const replaced = { NODE: process.execPath, SCRIPT: program, HOME: home.path };
  return golden.replaceAll(/<(NODE|SCRIPT|HOME)>/g, (_, name: keyof typeof replaced) => replaced[name]);
}

/** What lies in a directory of the home, without the directories of the workbench itself. */
export function namesIn(home: Home, directory = ''): string[] {
  return readdirSync(join(home.path, directory)).filter((name) => name !== '.local');
}

/** The file of a client, parsed. */
export function valuesOf(home: Home, client: FixtureClient): Record<string, unknown> {
  const text = home.read(client).replace(/^\uFEFF/, '');
  const value: unknown = home.fileOf(client).endsWith('.toml') ? parseToml(text) : parseJsonc(text);
  return isRecord(value) ? value : {};
}
