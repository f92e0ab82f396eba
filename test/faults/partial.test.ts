import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectAgent, opened, text } from '../support/agents.js';
import { type CallLog, callLog } from '../support/call-log.js';
import { devToolbox, type ServerEntry } from '../support/configs.js';
import { temporaryDirectory } from '../support/launch.js';
import { linuxOnly } from '../support/platform.js';
import { processesWith, scriptedServersWith } from '../support/processes.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';

linuxOnly('a shell, processes in /proc');

function notExecutable(): string {
  const path = join(temporaryDirectory(), 'server');
  writeFileSync(path, '#!/bin/sh\n');
  chmodSync(path, 0o644);
  return path;
}

/** Broken servers, and the reason reported for each. On a busy machine, stdout may end well before the exit code is known. */
const broken: Record<string, [() => ServerEntry, RegExp]> = {
  'a command that does not exist': [
    () => ({ command: 'no-such-program' }),
    /^command 'no-such-program' not found in PATH/,
  ],
  'a command that may not be executed': [() => ({ command: notExecutable() }), /^command '.*' is not executable$/],
  'a directory that does not exist': [
    () => ({ ...fixture(), cwd: '/no/such/dir' }),
    /^working directory '\/no\/such\/dir' does not exist$/,
  ],
  'an exit at once': [
    () => fixture('--exit', 3, '--stderr', 'no key'),
    /^it exited with code 3; last stderr output: no key \(log: \S+bad\.log\)$/,
  ],
  'a program that is not a server': [() => ({ command: 'true' }), /^it exited with code 0/],
  'a server that talks nonsense': [
    () => ({ command: 'sh', args: ['-c', 'while :; do echo hello; sleep 0.2; done'], startTimeoutMs: 1_500 }),
    /^it was not ready within 1500 ms/,
  ],
  'a variable that is not set': [() => ({ ...fixture(), env: { KEY: '${NOT_SET}' } }), /NOT_SET.*is not set/],
  'an env file that does not exist': [() => ({ ...fixture(), envFile: 'nowhere.env' }), /nowhere\.env.*does not exist/],
  'a server that closes its stdout': [
    () => ({ command: 'sh', args: ['-c', 'exec >&-; exec sleep 60'] }),
    /^it closed its stdout/,
  ],
  'a listing that fails': [() => fixture('--list-error', 'oh no'), /^the server answered with error -32603: oh no$/],
};

const cases = Object.entries(broken).map(
  ([what, how], index) => [what, index % 2 === 0 ? 'v2 modern' : 'v2 legacy', how] as const,
);

describe('one broken server of ten', () => {
  test.each(cases)(
    '%s makes only that server unavailable, with a plain reason for a %s client',
    async (_, flavour, [entry, reason]) => {
      const good = Array.from({ length: 9 }, (__, index) => [`good-${index}`, fixture('--tools', 'echo')] as const);
      const config = devToolbox(new Map([...good.slice(0, 4), ['bad', entry()], ...good.slice(4)]));
      const agent = await connectAgent(flavour, { config });
      const { servers_connected, unavailable, tools } = opened(await agent.open('dev'));
      expect(servers_connected).toBe(9);
      expect(tools.map(({ server }) => server)).toEqual(good.map(([name]) => name));
      expect(unavailable).toEqual([{ server: 'bad', reason: expect.stringMatching(reason) }]);
      for (const [name] of good)
        expect(text(await agent.use('dev', name, 'echo', { name }))).toBe(JSON.stringify({ name }));
      const refused = await agent.use('dev', 'bad', 'echo');
      expect(refused.isError).toBe(true);
      expect(text(refused)).toMatch(/^Failed to connect to server 'bad' in toolbox 'dev': /);
      // No process of the broken one is left.
      await until(() => processesWith(agent.marker).length === 10);
      expect(scriptedServersWith(agent.marker)).toHaveLength(9);
    },
  );
});

test('a hundred concurrent opens and calls on a closed toolbox start one process per server', async () => {
  const logs = new Map<string, CallLog>(['a', 'b', 'c'].map((name) => [name, callLog()]));
  const servers = [...logs].map(([name, log]) => [name, fixture('--start-delay', 300, '--log', log.path)] as const);
  const agent = await connectAgent('v2 modern', { config: devToolbox(new Map(servers)) });
  const names = [...logs.keys()];
  const work = Array.from({ length: 100 }, async (_, index) => {
    if (index % 2 === 0) return opened(await agent.open('dev')).servers_connected;
    return text(await agent.use('dev', names[index % 3] ?? '', 'echo', { index }));
  });
  const results = await Promise.all(work);
  expect(results).toEqual(results.map((_, index) => (index % 2 === 0 ? 3 : JSON.stringify({ index }))));
  for (const log of logs.values()) {
    expect(log.methods('start')).toHaveLength(1);
    expect(log.methods('tools/list')).toHaveLength(1);
  }
  expect(scriptedServersWith(agent.marker)).toHaveLength(3);
});

test('the same server in two toolboxes is two processes with environments of their own', async () => {
  const entry = (value: string) => ({ ...fixture(), env: { WHOSE: value } });
  const config = {
    toolboxes: {
      one: { description: 'One', mcpServers: { same: entry('first') } },
      two: { description: 'Two', mcpServers: { same: entry('second') } },
    },
  };
  const agent = await connectAgent('v2 modern', { config });
  const whose = async (toolbox: string) => JSON.parse(text(await agent.use(toolbox, 'same', 'env')))['WHOSE'];
  expect(await Promise.all([whose('one'), whose('two')])).toEqual(['first', 'second']);
  expect(scriptedServersWith(agent.marker)).toHaveLength(2);
});
