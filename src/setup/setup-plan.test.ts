import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/support/launch.js';
import { linuxOnly } from '../../test/support/platform.js';
import type { ConfigurationEdit } from './edit/configuration-edit.js';
import { editConfiguration } from './edit/edit-configuration.js';
import { findServers } from './find-servers.js';
import { planSetup, type SetupPlan, type SetupWish } from './setup-plan.js';

/** The plan for a home with these files. */
function planFor(files: Readonly<Record<string, object>>, wish: Partial<SetupWish> = {}): SetupPlan {
  linuxOnly('the places of the files are those of Linux');
  const home = temporaryDirectory();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), JSON.stringify(content));
  }
  const computer = { env: {}, cwd: join(home, 'nowhere'), platform: 'linux', home };
  return planSetup(findServers(computer), { config: undefined, secretOf: () => undefined, computer, ...wish });
}

/** The servers that are added, by toolbox. */
function added(edits: readonly ConfigurationEdit[]): Record<string, Record<string, object>> {
  const toolboxes: Record<string, Record<string, object>> = {};
  for (const edit of edits) if (edit.kind === 'add server') (toolboxes[edit.toolbox] ??= {})[edit.server] = edit.entry;
  return toolboxes;
}

const cursor = '.cursor/mcp.json';
const windsurf = '.codeium/windsurf/mcp_config.json';
const mcp = (mcpServers: object) => ({ mcpServers });

describe('servers of two clients', () => {
  test('are one if they are equal, whatever their names and times', () => {
    const plan = planFor({
      [cursor]: mcp({ a: { command: 'x', env: { A: '1', B: '2' }, timeout: 5_000 } }),
      [windsurf]: mcp({ b: { type: 'stdio', command: 'x', args: [], env: { B: '2', A: '1' }, timeout: 9_000 } }),
    });
    expect(added(plan.edits(false))).toEqual({
      everyday: { a: { command: 'x', env: { A: '1', B: '2' }, callTimeoutMs: 9_000 } },
    });
  });

  test('are disabled only if they are in both', () => {
    const off = { disabled: true };
    const both = { command: 'both' };
    const one = { command: 'one' };
    const plan = planFor({
      [cursor]: mcp({ both: { ...both, ...off }, one: { ...one, ...off }, alone: { command: 'alone', ...off } }),
      [windsurf]: mcp({ both: { ...both, ...off }, one }),
    });
    expect(added(plan.edits(false))).toEqual({
      everyday: { both: { ...both, ...off }, one, alone: { command: 'alone', ...off } },
    });
  });

  test('with one name and different contents get the name of the client, and a number if that is taken', () => {
    const plan = planFor({
      [cursor]: mcp({ a: { command: 'x' }, 'a-windsurf': { command: 'z' } }),
      [windsurf]: mcp({ a: { command: 'y' } }),
    });
    expect(Object.keys(added(plan.edits(false))['everyday'] ?? {})).toEqual(['a', 'a-windsurf', 'a-windsurf-2']);
  });
});

test('a bridge to a URL becomes the URL, and leaves the client as what it was', () => {
  const plan = planFor({
    [cursor]: mcp({
      linear: {
        command: 'npx',
        args: ['-y', 'mcp-remote', 'https://mcp.linear.app/sse', '--header', 'X-Token:abc123'],
      },
    }),
  });
  expect(added(plan.edits(false))).toEqual({
    everyday: { linear: { url: 'https://mcp.linear.app/sse', headers: { 'X-Token': '${secret:X_TOKEN}' } } },
  });
  const [source] = plan.found.sources;
  const [entry] = source?.entries ?? [];
  expect(source && entry && plan.servedBy(source.file, entry)).toEqual({ toolbox: 'everyday', server: 'linear' });
});

test('two projects of one name, and one that is called like a toolbox, have toolboxes of their own', () => {
  const pg = mcp({ pg: { command: 'pg' } });
  const plan = planFor({
    '.claude.json': { ...mcp({ a: { command: 'a' } }), projects: { '/a/shop': pg, '/b/shop': pg, '/c/everyday': pg } },
  });
  expect(added(plan.edits(false))).toEqual({
    everyday: { a: { command: 'a' } },
    shop: { pg: { command: 'pg', cwd: '/a/shop' } },
    'b-shop': { pg: { command: 'pg', cwd: '/b/shop' } },
    'c-everyday': { pg: { command: 'pg', cwd: '/c/everyday' } },
  });
});

test('a file without toolboxes is added to, under the key that it has', () => {
  const text = '{ "servers": { "a": { "command": "x" } } } // mine';
  const plan = planFor(
    { [cursor]: mcp({ a: { command: 'y' }, b: { command: 'z' } }) },
    { config: { path: '/nowhere/c.json', text } },
  );
  const edits = plan.edits(false);
  expect(added(edits)).toEqual({ default: { 'a-cursor': { command: 'y' }, b: { command: 'z' } } });
  expect(editConfiguration(text, edits)).toMatch(/^\{ "servers": \{ "a".*"a-cursor".*"b".* \/\/ mine$/s);
});

test('keys that only the client uses are left out, and named', () => {
  const plan = planFor({
    [cursor]: mcp({ a: { command: 'x', alwaysAllow: ['t'], trust: true }, b: { command: 'y', trust: true } }),
  });
  expect(added(plan.edits(false))).toEqual({ everyday: { a: { command: 'x' }, b: { command: 'y' } } });
  expect(plan.leftOut).toEqual([
    { key: 'alwaysAllow', servers: ['a'] },
    { key: 'trust', servers: ['a', 'b'] },
  ]);
});

test('a server with a browser or a terminal gets a process for each session, unless its entry says something else', () => {
  const npx = (...args: string[]) => ({ command: 'npx', args });
  const plan = planFor({
    [cursor]: mcp({
      web: npx('-y', '@playwright/mcp@latest'),
      windows: { command: 'cmd', args: ['/c', 'npx', '-y', 'chrome-devtools-mcp'] },
      python: { command: '/usr/bin/uvx', args: ['browser-use'] },
      shared: { ...npx('@playwright/mcp'), perSession: false },
      files: npx('-y', 'server-filesystem', '/home/me/browser'),
      remote: { url: 'https://browser.test/mcp' },
    }),
  });
  expect(plan.perSession).toEqual(['web', 'windows', 'python']);
  const { everyday = {} } = added(plan.edits(false));
  const own = Object.entries(everyday).filter(([, entry]) => 'perSession' in entry && entry.perSession === true);
  expect(own.map(([name]) => name)).toEqual(['web', 'windows', 'python']);
});

test('the memory server, which loses one of two writes at once, gets one call at a time, unless its entry says something else', () => {
  const memory = { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory@2026.8.31'] };
  const plan = planFor({
    [cursor]: mcp({ memory, many: { ...memory, maxConcurrentCalls: 4 }, files: { command: 'server-memory' } }),
  });
  expect(plan.inTurns).toEqual(['memory']);
  expect(added(plan.edits(false))).toEqual({
    everyday: {
      memory: { ...memory, maxConcurrentCalls: 1 },
      many: { ...memory, maxConcurrentCalls: 4 },
      files: { command: 'server-memory' },
    },
  });
});

test('a server that Claude Code has switched off in its project comes disabled', () => {
  const servers = mcp({ on: { command: 'x' }, off: { command: 'y' } });
  const plan = planFor({
    '.claude.json': {
      mcpServers: { off: { command: 'z' } },
      projects: { '/code/shop': { ...servers, disabledMcpServers: ['off'], disabledMcpjsonServers: 'none' } },
    },
  });
  expect(added(plan.edits(false))).toEqual({
    everyday: { off: { command: 'z' } },
    shop: {
      on: { command: 'x', cwd: '/code/shop' },
      off: { command: 'y', cwd: '/code/shop', disabled: true },
    },
  });
});
