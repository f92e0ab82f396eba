import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse as parseJsonc } from 'jsonc-parser';
import { clientFiles, type FixtureClient } from './client-homes.js';
import { type Finished, type OnTerminal, runCommand, runOnTerminal } from './commands.js';
import { temporaryDirectory } from './launch.js';
import { until } from './until.js';

/** The program of a server that writes how it was started to the file that its first argument names. */
export const recorder = fileURLToPath(new URL('../fixtures/recording-server.mjs', import.meta.url));

/** A home without a configuration, with files of clients. */
export interface FreshHome {
  readonly path: string;
  /** The directory that commands run in. */
  readonly cwd: string;
  readonly config: string;
  readonly secrets: string;
  readonly fileOf: (client: FixtureClient) => string;
  readonly write: (file: string, text: string) => void;
  readonly run: (...args: string[]) => Promise<Finished>;
  readonly onTerminal: (args: readonly string[], through?: readonly string[]) => OnTerminal;
  /** Every file of the home with its content, without those of the state directory. */
  readonly contents: () => Record<string, string>;
}

export function createFreshHome(
  servers: Partial<Record<FixtureClient, object | string>> = {},
  env: Readonly<Record<string, string>> = {},
): FreshHome {
  const path = temporaryDirectory();
  const cwd = join(path, 'work');
  mkdirSync(cwd);
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), text);
  };
  // The keys of the object are those of its type.
  for (const [client, content] of Object.entries(servers))
    write(
      clientFiles[client as FixtureClient][0],
      typeof content === 'string' ? content : JSON.stringify(content, undefined, 2),
    );
  const config = join(path, '.config', 'mcp-workbench', 'workbench-config.json');
  const all = { HOME: path, LANG: 'C.UTF-8', ...env };
  return {
    path,
    cwd,
    config,
    secrets: join(dirname(config), 'secrets.env'),
    fileOf: (client) => join(path, clientFiles[client][0]),
    write,
    run: (...args) => runCommand(args, { env: all, cwd }),
    onTerminal: (args, through = []) =>
      runOnTerminal(args, { env: { ...all, NO_COLOR: '1' }, cwd, columns: 100, through }),
    contents: () => contentsOf(path),
  };
}

function contentsOf(path: string): Record<string, string> {
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !/^\.(?:local|cache)\b/.test(name),
  );
  const plain = files.filter((name) => statSync(join(path, name)).isFile()).toSorted();
  return Object.fromEntries(
    plain.map((name) => [relative(path, join(path, name)), readFileSync(join(path, name), 'utf8')]),
  );
}

/** Types an answer when the question is there. */
export async function answer(terminal: OnTerminal, question: string, keys: string): Promise<void> {
  await until(() => terminal.screen().includes(question), { what: question });
  terminal.type(keys);
}

export const mcp = (mcpServers: object) => ({ mcpServers });
export const npx = (name: string, more: object = {}) => ({ command: 'npx', args: ['-y', name], ...more });

/** The configuration that `init` wrote, parsed. */
export function configOf(home: FreshHome) {
  return parseJsonc(readFileSync(home.config, 'utf8'));
}

/** Three clients with four servers: one twice, one with two tokens, one that asks for a value. */
export const threeClients = () =>
  createFreshHome({
    'claude-code': mcp({
      memory: npx('@modelcontextprotocol/server-memory'),
      github: npx('@modelcontextprotocol/server-github', {
        env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'ghp_0123456789abcdef' },
      }),
    }),
    cursor: mcp({
      memory: npx('@modelcontextprotocol/server-memory'),
      github: npx('@modelcontextprotocol/server-github', {
        env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'ghp_fedcba9876543210' },
      }),
    }),
    vscode: {
      inputs: [{ id: 'azure-key', type: 'promptString', description: 'Key of Azure', password: true }],
      servers: {
        azure: { type: 'stdio', command: 'npx', args: ['-y', '@azure/mcp'], env: { KEY: '${input:azure-key}' } },
      },
    },
  });
