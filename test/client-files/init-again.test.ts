import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answer, configOf, threeClients } from '../support/init-homes.js';
import { linuxOnly } from '../support/platform.js';

const connect = 'Connect which clients?';
const enter = '\r';

describe('an existing configuration', () => {
  test('is added to, with its comments, and servers that it has are not added again', async () => {
    linuxOnly('the places of the files are those of Linux');
    const home = threeClients();
    const own =
      '{\n  // mine\n  "toolboxes": { "dev": { "description": "d", "mcpServers": { "memory": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"] } } } }\n}\n';
    home.write('.config/mcp-workbench/workbench-config.json', own);
    const { stdout } = await home.run('init', '--yes');
    expect(stdout).toContain('has 1 toolbox already. New: 3 servers.');
    expect(readFileSync(home.config, 'utf8')).toContain('// mine');
    const { dev, everyday } = configOf(home).toolboxes;
    expect(Object.keys(dev.mcpServers)).toEqual(['memory']);
    expect(Object.keys(everyday.mcpServers)).toEqual(['github', 'github-cursor', 'azure']);
    const again = await home.run('init', '--yes');
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('New: nothing.') });
    await home.run('undo', '--yes');
    expect(readFileSync(home.config, 'utf8')).toBe(own);
  });

  test('named by --config is made if it is not there, and a faulty one is left alone', async () => {
    linuxOnly('the places of the files are those of Linux');
    const home = threeClients();
    const file = join(home.path, 'elsewhere', 'w.json');
    expect((await home.run('init', '--yes', '--config', file)).code).toBe(0);
    expect(existsSync(file)).toBe(true);
    writeFileSync(file, '{ "toolboxes": 7 }');
    expect((await home.run('init', '--yes', '--config', file)).code).toBe(3);
    expect(readFileSync(file, 'utf8')).toBe('{ "toolboxes": 7 }');
  });
});

describe('a second init', () => {
  test('shows connected clients as done, and asks only about the others', async () => {
    linuxOnly('script of util-linux');
    const home = threeClients();
    await home.run('init', '--yes', '--connect', 'claude-code,cursor');
    const again = home.onTerminal(['init']);
    await answer(again, connect, enter);
    expect(await again.exited).toBe(0);
    expect(again.screen()).toMatch(/✓ Claude Code: connected already\s+✓ Cursor: connected already/);
    expect(again.screen()).toContain('◆ Connect which clients? VS Code');
    expect(again.screen()).not.toMatch(/[◼◻] Cursor/);
    // All servers have left the clients now.
    const third = await home.run('init');
    expect(third).toMatchObject({ code: 0, stderr: '' });
    expect(third.stdout).toContain('New: nothing.');
    expect(third.stdout.match(/connected already/g)).toHaveLength(3);
  });
});

test('disconnect takes back what init did to one client, and undo the rest', async () => {
  linuxOnly('the places of the files are those of Linux');
  const home = threeClients();
  const before = home.contents();
  await home.run('init', '--yes', '--connect', 'all');
  expect((await home.run('disconnect', 'cursor', '--yes')).code).toBe(0);
  expect(home.contents()['.cursor/mcp.json']).toBe(before['.cursor/mcp.json']);
  expect(home.contents()['.claude.json']).not.toBe(before['.claude.json']);
  expect((await home.run('disconnect', 'cursor', '--yes')).stderr).toContain('is not connected');
  // The newest is the disconnection itself.
  expect((await home.run('undo', '2', '--yes')).code).toBe(0);
  expect(home.contents()).toEqual(before);
});
