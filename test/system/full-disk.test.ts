import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connectAgent, opened, text } from '../support/agents.js';
import { devToolbox } from '../support/configs.js';
import { endHosts } from '../support/hosts.js';
import { temporaryDirectory } from '../support/launch.js';
import { fixture } from '../support/servers.js';
import { startWorkbench } from '../support/workbench.js';

/** A directory on a small disk of its own. Mounting needs root. */
function ownDisk(): string {
  const disk = join(temporaryDirectory(), 'disk');
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]);
  onTestFinished(() => void execFileSync('umount', ['--lazy', disk]));
  mkdirSync(join(disk, 'state'));
  mkdirSync(join(disk, 'cache'));
  return disk;
}

/** One that nothing can be written to. */
function readOnlyDisk(): string {
  const disk = ownDisk();
  execFileSync('mount', ['-o', 'remount,ro', disk]);
  return disk;
}

/** One without a free byte. */
function fullDisk(): string {
  const disk = ownDisk();
  try {
    writeFileSync(join(disk, 'filler'), Buffer.alloc(1_000_000));
  } catch {
    // As much as fits.
  }
  expect(statfsSync(disk).bavail).toBe(0);
  return disk;
}

test('a full disk costs the logs and what is remembered, and no call', async () => {
  const disk = fullDisk();
  const env = { XDG_STATE_HOME: join(disk, 'state'), XDG_CACHE_HOME: join(disk, 'cache') };
  const agent = await connectAgent('v2 modern', { config: devToolbox({ any: fixture() }), env });
  expect(opened(await agent.open('dev')).servers_connected).toBe(1);
  for (let index = 0; index < 20; index++) {
    await agent.use('dev', 'any', 'write_stderr', { text: `${'x'.repeat(200)}\n`, times: 100 });
    expect(text(await agent.use('dev', 'any', 'echo', { index }))).toBe(JSON.stringify({ index }));
  }
  await agent.close();
  await endHosts();
  // No half-written file that would stay for ever.
  const files = readdirSync(disk, { recursive: true, encoding: 'utf8' });
  expect(files.filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test.each([
  ['on a full disk', fullDisk],
  ['on a disk that cannot be written to', readOnlyDisk],
])('%s, large results are kept in memory, and one that is too large for that is still answered', async (_, place) => {
  const env = { XDG_CACHE_HOME: join(place(), 'cache') };
  const workbench = startWorkbench({ config: devToolbox({ any: fixture() }), env });
  const clientInfo = { name: 'claude-code', version: '1' };
  await workbench.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  const tool = { toolbox: 'dev', server: 'any', name: 'blob' };
  const use = async (input: object) => {
    const params = { name: 'use_tool', arguments: { tool, ...input } };
    const { result } = await workbench.request('tools/call', params);
    return Array.isArray(result?.['content']) ? result['content'].map((block) => String(block.text)) : [];
  };
  expect((await use({ arguments: { bytes: 1_000_000 } }))[1]).toContain('Kept; the call is not made again.');
  expect(await use({ result: { of: 'r1', from: 990_000 } })).toContain('x'.repeat(10_000));
  const [beginning, note] = await use({ arguments: { bytes: 9_000_000 } });
  expect(beginning).toBe('x'.repeat(8_000));
  expect(note).toContain('It could not be kept.');
});
