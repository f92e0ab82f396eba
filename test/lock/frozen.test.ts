import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Agent, connectAgent, opened, text } from '../support/agents.js';
import { devToolbox } from '../support/configs.js';
import { endHosts } from '../support/hosts.js';
import { temporaryDirectory } from '../support/launch.js';
import { changedPost, changingServer, eraser, lockFile, use, writtenLock } from '../support/locks.js';
import { fixture } from '../support/servers.js';

const names = async (agent: Agent) => opened(await agent.open('dev')).tools.map(({ name }) => name);
const frozen = (dir: string) => ({ args: ['--config', join(dir, 'workbench-config.json'), '--frozen'] });

describe('serve --frozen', () => {
  test('blocks everything without a lock, starts nothing and writes nothing', async () => {
    const log = join(temporaryDirectory(), 'calls.log');
    const config = devToolbox({ mail: { ...fixture('--log', log), lock: 'off' } });
    const agent = await connectAgent('v2 legacy', { config, args: ['--frozen'] });
    const answers = [await agent.open('dev'), await use(agent, 'echo')];
    for (const answer of answers) {
      expect(answer.isError).toBe(true);
      expect(text(answer)).toContain(`it is not in the lock ${lockFile(agent.dir)}, and --frozen starts nothing else`);
    }
    await agent.close();
    await endHosts();
    expect(existsSync(log)).toBe(false);
    expect(existsSync(lockFile(agent.dir))).toBe(false);
  });

  test('blocks what is not in the lock, whatever the settings, and changes nothing in it', async () => {
    const server = changingServer({ lock: 'note' });
    const first = await connectAgent('v2 modern', { config: server.config });
    await first.open('dev');
    await writtenLock(first.dir);
    await first.close();
    await endHosts();
    const before = readFileSync(lockFile(first.dir), 'utf8');
    const fine = await connectAgent('v2 modern', frozen(first.dir));
    expect(text(await use(fine, 'post'))).toBe('{}');
    await fine.close();
    await endHosts();
    server.list(changedPost, eraser);
    for (const lock of ['note', 'off']) {
      const file = join(first.dir, 'workbench-config.json');
      writeFileSync(file, readFileSync(file, 'utf8').replace(/"lock":"\w+"/, `"lock":"${lock}"`));
      const agent = await connectAgent('v2 legacy', frozen(first.dir));
      expect(await names(agent)).toEqual(['list_changed', 'crash', 'echo']);
      expect(text(await use(agent, 'post'))).toContain('has changed since it was approved');
      expect(text(await use(agent, 'erase'))).toContain('is new since');
      expect(text(await agent.open('dev'))).not.toContain('EVIL');
      await agent.close();
      await endHosts();
    }
    expect(readFileSync(lockFile(first.dir), 'utf8')).toBe(before);
  });
});

test.each([
  ['broken', '{'],
  ['of a later version', '{"version":2,"servers":[]}'],
])('--frozen blocks everything if the lock is %s', async (_, content) => {
  const agent = await connectAgent('v2 legacy', { config: changingServer().config, args: ['--frozen'] });
  writeFileSync(lockFile(agent.dir), content);
  expect(text(await agent.open('dev'))).toMatch(/the lock \S+ cannot be used: it is/);
});

test('--frozen does not concern the embedded guide', async () => {
  const agent = await connectAgent('v2 legacy', { args: ['--frozen'] });
  expect((await agent.open('getting-started')).isError).toBeUndefined();
});
