import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connectAgent, opened, text } from '../support/agents.js';
import { devToolbox } from '../support/configs.js';
import { endHosts } from '../support/hosts.js';
import { temporaryDirectory } from '../support/launch.js';
import { fixture } from '../support/servers.js';

/** A directory on a disk of its own, without a free byte. Mounting needs root. */
function fullDisk(): string {
  const disk = join(temporaryDirectory(), 'disk');
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]);
  onTestFinished(() => void execFileSync('umount', ['--lazy', disk]));
  mkdirSync(join(disk, 'state'));
  mkdirSync(join(disk, 'cache'));
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
