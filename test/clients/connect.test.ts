import { describe, expect, test } from 'vitest';
import { type Client, client } from './client.js';

// After `connect` the clients themselves are asked what they have. None of this needs an account.

const quiet = { security: { folderTrust: { enabled: false } }, privacy: { usageStatisticsEnabled: false } };
/** A server that the workbench of these tests serves, too, and one that it does not. */
const served = (home: Client) => home.served();
const other = { command: 'node', args: ['-e', 'setTimeout(() => {}, 1e6)'] };

describe('after connect the client has the workbench, after disconnect what it had', () => {
  test('Claude Code', async () => {
    const home = client('claude');
    home.write('.claude.json', { mcpServers: { any: served(home) } });
    const before = await home.run(['mcp', 'list']);
    expect(before).toMatch(/^any: /m);
    await home.workbench('connect', 'claude-code', '--yes');
    const connected = await home.run(['mcp', 'list']);
    expect(connected).toMatch(/^workbench: .*main\.js.* ✔ Connected$/m);
    expect(connected).not.toMatch(/^any: /m);
    await home.workbench('disconnect', 'claude-code', '--yes');
    expect(await home.run(['mcp', 'list'])).toBe(before);
  });

  test('Gemini CLI', async () => {
    const home = client('gemini');
    home.write('.gemini/settings.json', { ...quiet, mcpServers: { any: served(home) } });
    const before = await home.run(['mcp', 'list']);
    await home.workbench('connect', 'gemini', '--yes');
    const connected = await home.run(['mcp', 'list']);
    expect(connected).toMatch(/^✓ workbench: .* - Connected$/m);
    expect(connected).not.toContain('any: ');
    await home.workbench('disconnect', 'gemini', '--yes');
    expect(await home.run(['mcp', 'list'])).toBe(before);
  });

  test('Qwen Code', async () => {
    const home = client('qwen');
    home.write('.qwen/settings.json', { mcpServers: { any: served(home) } });
    await home.workbench('connect', 'qwen', '--yes');
    expect(await home.run(['mcp', 'list'])).toMatch(/^✓ workbench: .* - Connected$/m);
  });

  test('opencode', async () => {
    const home = client('opencode');
    const { command, args, env } = served(home);
    home.write('.config/opencode/opencode.json', {
      mcp: { any: { type: 'local', command: [command, ...args], environment: env } },
    });
    const before = await home.run(['mcp', 'list']);
    await home.workbench('connect', 'opencode', '--yes');
    const connected = await home.run(['mcp', 'list']);
    expect(connected).toMatch(/✓ workbench connected$/m);
    expect(connected).not.toMatch(/any connected$/m);
    await home.workbench('disconnect', 'opencode', '--yes');
    expect(await home.run(['mcp', 'list'])).toBe(before);
  });

  test('Codex', async () => {
    const home = client('codex');
    const { command, args, env } = served(home);
    const pairs = Object.entries(env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
    home.write(
      '.codex/config.toml',
      `# mine\n[mcp_servers.any]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n\n[mcp_servers.any.env]\n${pairs.join('\n')}\n`,
    );
    const listed = async () => JSON.parse((await home.run(['mcp', 'list', '--json'])).replace(/^[^[]*/, ''));
    const before = await listed();
    expect(before).toMatchObject([{ name: 'any' }]);
    await home.workbench('connect', 'codex', '--yes');
    expect(await listed()).toMatchObject([{ name: 'workbench', transport: { command: process.execPath } }]);
    await home.workbench('disconnect', 'codex', '--yes');
    expect(await listed()).toEqual(before);
  });
});

test('50 times `claude mcp add` beside our own writes loses nothing on either side', async () => {
  const rounds = 50;
  const home = client('claude');
  home.write('.claude.json', { mcpServers: { any: served(home), other } });
  const add = (count: number) => home.run(['mcp', 'add', '--scope', 'user', `theirs-${count}`, '--', 'node', 'x.js']);
  const ours = async (count: number) => {
    for (const args of [
      ['connect', 'claude-code', '--yes', '--keep', '--name', `ours-${count}`],
      ...(count % 5 === 4 ? [['undo', '--yes']] : []),
    ])
      await home.workbench(...args);
  };
  for (let count = 0; count < rounds; count++) await Promise.all([add(count), ours(count)]);
  const names = Object.keys(JSON.parse(home.read('.claude.json')).mcpServers);
  const numbers = Array.from({ length: rounds }, (_, count) => count);
  const kept = numbers.filter((count) => count % 5 !== 4);
  expect(names.filter((name) => name.startsWith('theirs-')).sort()).toEqual(
    numbers.map((count) => `theirs-${count}`).sort(),
  );
  expect(names.filter((name) => name.startsWith('ours-')).sort()).toEqual(kept.map((count) => `ours-${count}`).sort());
  expect(names).toEqual(expect.arrayContaining(['any', 'other']));
}, 600_000);
