import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Edit } from '../../src/clients/documents/document.js';
import { applyEdits } from '../../src/clients/documents/open-document.js';
import { readClientFile } from '../../src/clients/files/client-file.js';
import { commit } from '../../src/clients/journal/commit.js';
import { clientOf } from '../../src/clients/table/clients.js';
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

test('50 times `claude mcp add` beside hundreds of our own writes loses nothing on either side', async () => {
  // It gives up after a few seconds otherwise, and says so: we hold the lock most of the time here.
  const home = client('claude', { CLAUDE_CODE_CONFIG_LOCK_WAIT_MS: '60000' });
  home.write('.claude.json', { mcpServers: { any: served(home), other } });
  // Our side in this process: a command would take longer to start than to write.
  const computer = { env: {}, cwd: home.path, platform: process.platform, home: home.path };
  const claude = clientOf('claude-code');
  if (claude === undefined) throw new Error('no client');
  const add = (name: string) =>
    commit({
      computer,
      headline: { command: 'test' },
      read: () => readClientFile(claude, join(home.path, '.claude.json')),
      plan({ document }) {
        const edits: Edit[] = [{ kind: 'add', at: ['mcpServers'], name, source: { value: { command: 'x' } } }];
        return { edits, ...applyEdits('json', document.text, edits) };
      },
    });
  const ours: string[] = [];
  const theirs: string[] = [];
  /** One `claude mcp add` while we write. False if it says that it has saved nothing, because the file was locked. */
  async function race(name: string, pauseMs: number): Promise<boolean> {
    const running = { is: true };
    const added = home.run(['mcp', 'add', '--scope', 'user', name, '--', 'node', 'x.js']).finally(() => {
      running.is = false;
    });
    while (running.is) {
      const own = `ours-${ours.length}`;
      await add(own);
      ours.push(own);
      // Whoever waits for the lock tries again only now and then: it must be free for a while.
      await wait(pauseMs);
    }
    const said = await added;
    expect(said).toMatch(new RegExp(`Added stdio MCP server ${name} |"${name}" was not saved to `));
    return said.includes('Added');
  }
  for (let round = 0; round < 50; round++) {
    const name = `theirs-${round}`;
    // Its refusal is no loss: it says so. It is asked again, and gets more room each time.
    let pauseMs = 40;
    while (!(await race(name, pauseMs))) {
      expect(serversOf(home)).not.toContain(name);
      pauseMs *= 2;
      expect(pauseMs).toBeLessThan(5_000);
    }
    theirs.push(name);
  }
  expect(serversOf(home).toSorted()).toEqual(['any', 'other', ...ours, ...theirs].toSorted());
  expect(ours.length).toBeGreaterThan(50);
}, 600_000);

function serversOf(home: Client): string[] {
  return Object.keys(JSON.parse(home.read('.claude.json')).mcpServers);
}
