import { isRecord } from '../../jsonrpc/json.js';
import { nearest } from '../../text/nearest.js';
import type { KeyPath } from '../documents/document.js';
import { type Client, type ClientName, clientNames, type Launch, type Members } from './client.js';
import { inApplicationData, inDirectoryOf, inHome, inStorePackages, inXdgConfig } from './places.js';

const mcpServers = () => ['mcpServers'];
const plain = ({ command, args }: Launch) => ({ command, args });

/** Names of secrets by the rule of Gemini CLI: it does not pass on such variables unless an entry names them. */
const isHeldBack = (name: string) => /key|secret|token|pass|auth|cred|private|cert/i.test(name);

const claudeCode: Client = {
  name: 'claude-code',
  title: 'Claude Code',
  format: 'json',
  files: (computer) => [
    inDirectoryOf(computer, 'CLAUDE_CONFIG_DIR', [], '.claude.json'),
    inDirectoryOf(computer, 'CLAUDE_CONFIG_DIR', ['.claude'], '.config.json'),
  ],
  signs: (computer) => [inDirectoryOf(computer, 'CLAUDE_CONFIG_DIR', ['.claude'])],
  projectFile: '.mcp.json',
  servers: mcpServers,
  projects: (document) =>
    document.keysAt(['projects']).map((directory) => ({ at: ['projects', directory, 'mcpServers'], directory })),
  entry: (launch) => ({ type: 'stdio', ...plain(launch), alwaysLoad: true }),
  ownCommand: (name, _, entry) => ['claude', 'mcp', 'add-json', '--scope', 'user', name, JSON.stringify(entry)],
  restart: 'Restart Claude Code or run /mcp in it',
  hasLock: true,
};

const claudeDesktop: Client = {
  name: 'claude-desktop',
  title: 'Claude Desktop',
  format: 'json',
  files: (computer) =>
    [...inStorePackages(computer, /^(?:Anthropic)?Claude_/, 'Claude'), inApplicationData(computer, 'Claude')].map(
      (directory) => `${directory}${computer.platform === 'win32' ? '\\' : '/'}claude_desktop_config.json`,
    ),
  signs: (computer) => [
    ...inStorePackages(computer, /^(?:Anthropic)?Claude_/, 'Claude'),
    inApplicationData(computer, 'Claude'),
  ],
  servers: mcpServers,
  variables: 'none',
  entry: plain,
  restart: 'Quit Claude Desktop and start it again',
};

const cursor: Client = {
  name: 'cursor',
  title: 'Cursor',
  format: 'json',
  files: (computer) => [inHome(computer, '.cursor', 'mcp.json')],
  signs: (computer) => [inHome(computer, '.cursor')],
  projectFile: '.cursor/mcp.json',
  servers: mcpServers,
  entry: plain,
  restart: 'Restart Cursor',
};

const vscode: Client = {
  name: 'vscode',
  title: 'VS Code',
  format: 'json',
  files: (computer) => [
    inApplicationData(computer, 'Code', 'User', 'mcp.json'),
    inApplicationData(computer, 'Code - Insiders', 'User', 'mcp.json'),
  ],
  signs: (computer) => [inApplicationData(computer, 'Code', 'User')],
  projectFile: '.vscode/mcp.json',
  servers: () => ['servers'],
  entry: (launch) => ({ type: 'stdio', ...plain(launch) }),
  ownCommand: (name, _, entry) => ['code', '--add-mcp', JSON.stringify({ name, ...entry })],
  restart: 'Restart VS Code',
};

const codex: Client = {
  name: 'codex',
  title: 'Codex',
  format: 'toml',
  files: (computer) => [inDirectoryOf(computer, 'CODEX_HOME', ['.codex'], 'config.toml')],
  signs: (computer) => [inDirectoryOf(computer, 'CODEX_HOME', ['.codex'])],
  projectFile: '.codex/config.toml',
  servers: () => ['mcp_servers'],
  variables: 'none',
  entry: (launch) => ({ ...plain(launch), ...(launch.variables.length > 0 && { env_vars: launch.variables }) }),
  ownCommand: (name, { command, args }) => ['codex', 'mcp', 'add', name, '--', command, ...args],
  restart: 'Restart Codex',
};

const gemini: Client = {
  name: 'gemini',
  title: 'Gemini CLI',
  format: 'json',
  files: (computer) => [inHome(computer, '.gemini', 'settings.json')],
  signs: (computer) => [inHome(computer, '.gemini')],
  projectFile: '.gemini/settings.json',
  servers: mcpServers,
  variables: 'dollar',
  entry: (launch) => {
    const removed = launch.variables.filter(isHeldBack);
    return { ...plain(launch), ...(removed.length > 0 && { env: referencesTo(removed) }) };
  },
  restart: 'Restart Gemini CLI',
};

function referencesTo(names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, `$${name}`]));
}

const opencode: Client = {
  name: 'opencode',
  title: 'opencode',
  format: 'json',
  files: (computer) => [
    inXdgConfig(computer, 'opencode', 'opencode.json'),
    inXdgConfig(computer, 'opencode', 'opencode.jsonc'),
  ],
  signs: (computer) => [inXdgConfig(computer, 'opencode')],
  projectFile: 'opencode.json',
  servers: opencodeServers,
  variables: 'braces',
  entry: ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true }),
  restart: 'Restart opencode',
};

/** Its second version has one more object around the servers. A server may have that name, too. */
function opencodeServers(document: Members): KeyPath {
  const servers = document.entriesAt(['mcp']).find(({ name }) => name === 'servers');
  const isServer = isRecord(servers?.value) && ('type' in servers.value || 'command' in servers.value);
  return servers === undefined || isServer ? ['mcp'] : ['mcp', 'servers'];
}

const windsurf: Client = {
  name: 'windsurf',
  title: 'Windsurf',
  format: 'json',
  files: (computer) => [inHome(computer, '.codeium', 'windsurf', 'mcp_config.json')],
  signs: (computer) => [inHome(computer, '.codeium', 'windsurf')],
  servers: mcpServers,
  entry: plain,
  restart: 'Restart Windsurf',
};

const zed: Client = {
  name: 'zed',
  title: 'Zed',
  format: 'json',
  files: (computer) => [zedDirectory(computer, 'settings.json')],
  signs: (computer) => [zedDirectory(computer)],
  projectFile: '.zed/settings.json',
  servers: () => ['context_servers'],
  variables: 'none',
  entry: plain,
  restart: 'Restart Zed',
};

function zedDirectory(computer: Parameters<Client['files']>[0], ...parts: string[]): string {
  return computer.platform === 'win32'
    ? inApplicationData(computer, 'Zed', ...parts)
    : inXdgConfig(computer, 'zed', ...parts);
}

const copilot: Client = {
  name: 'copilot',
  title: 'Copilot CLI',
  format: 'json',
  files: (computer) => [inDirectoryOf(computer, 'COPILOT_HOME', ['.copilot'], 'mcp-config.json')],
  signs: (computer) => [inDirectoryOf(computer, 'COPILOT_HOME', ['.copilot'])],
  projectFile: '.mcp.json',
  servers: mcpServers,
  entry: (launch) => ({ type: 'local', ...plain(launch), tools: ['*'], deferTools: 'never' }),
  restart: 'Restart Copilot CLI',
};

const qwen: Client = {
  name: 'qwen',
  title: 'Qwen Code',
  format: 'json',
  files: (computer) => [inHome(computer, '.qwen', 'settings.json')],
  signs: (computer) => [inHome(computer, '.qwen')],
  projectFile: '.qwen/settings.json',
  servers: mcpServers,
  variables: 'dollar',
  entry: (launch) => ({ ...plain(launch), alwaysLoadTools: true }),
  restart: 'Restart Qwen Code',
};

/** Every client, in the order in which they are shown. */
export const clients: readonly Client[] = [
  ...[claudeCode, claudeDesktop, cursor, vscode, codex, gemini, opencode, windsurf, zed, copilot, qwen],
];

export function clientOf(name: string): Client | undefined {
  return clients.find((client) => client.name === name);
}

/** The names of clients that are most like a misspelled one. */
export function similarClients(name: string): ClientName[] {
  const similar = new Set(nearest(name, clientNames, 1));
  return clientNames.filter((one) => similar.has(one));
}
