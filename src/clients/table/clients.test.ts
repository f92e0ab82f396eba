import { describe, expect, test } from 'vitest';
import { clientNames } from './client.js';
import { clients } from './clients.js';

const homes = { linux: '/home/ada', darwin: '/Users/ada', win32: 'C:\\Users\\ada' } as const;

function filesOn(platform: keyof typeof homes, env: Readonly<Record<string, string>> = {}): Record<string, string> {
  const computer = { env, cwd: homes[platform], platform, home: homes[platform] };
  return Object.fromEntries(clients.map((client) => [client.name, client.files(computer)[0] ?? '']));
}

test('every name has a client, in the same order', () => {
  expect(clients.map(({ name }) => name)).toEqual([...clientNames]);
});

describe('the files of clients', () => {
  test('on Linux', () => {
    expect(filesOn('linux')).toEqual({
      'claude-code': '/home/ada/.claude.json',
      'claude-desktop': '/home/ada/.config/Claude/claude_desktop_config.json',
      cursor: '/home/ada/.cursor/mcp.json',
      vscode: '/home/ada/.config/Code/User/mcp.json',
      codex: '/home/ada/.codex/config.toml',
      gemini: '/home/ada/.gemini/settings.json',
      opencode: '/home/ada/.config/opencode/opencode.json',
      windsurf: '/home/ada/.codeium/windsurf/mcp_config.json',
      zed: '/home/ada/.config/zed/settings.json',
      copilot: '/home/ada/.copilot/mcp-config.json',
      qwen: '/home/ada/.qwen/settings.json',
    });
  });

  test('on macOS and Windows, where they differ', () => {
    expect(filesOn('darwin')).toMatchObject({
      'claude-desktop': '/Users/ada/Library/Application Support/Claude/claude_desktop_config.json',
      vscode: '/Users/ada/Library/Application Support/Code/User/mcp.json',
      opencode: '/Users/ada/.config/opencode/opencode.json',
      zed: '/Users/ada/.config/zed/settings.json',
    });
    expect(filesOn('win32', { APPDATA: 'D:\\Roaming' })).toMatchObject({
      'claude-code': 'C:\\Users\\ada\\.claude.json',
      'claude-desktop': 'D:\\Roaming\\Claude\\claude_desktop_config.json',
      vscode: 'D:\\Roaming\\Code\\User\\mcp.json',
      zed: 'D:\\Roaming\\Zed\\settings.json',
    });
  });

  test('where variables say; a relative path would lead into the working directory', () => {
    const env = {
      CLAUDE_CONFIG_DIR: '/elsewhere/claude',
      CODEX_HOME: '/elsewhere/codex',
      XDG_CONFIG_HOME: '/elsewhere/config',
    };
    expect(filesOn('linux', env)).toMatchObject({
      'claude-code': '/elsewhere/claude/.claude.json',
      codex: '/elsewhere/codex/config.toml',
      opencode: '/elsewhere/config/opencode/opencode.json',
    });
    expect(filesOn('linux', { CODEX_HOME: 'codex' })['codex']).toBe('/home/ada/.codex/config.toml');
  });
});
