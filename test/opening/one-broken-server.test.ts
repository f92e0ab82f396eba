// @module-tag slow
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { opened, text } from '../support/agents.js';
import { type CallLog, callLog } from '../support/call-log.js';
import { devToolbox, type ServerEntry } from '../support/configs.js';
import { connectAgent } from '../support/in-process.js';
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
    /^it exited with code 3; last stderr output: no key \(log: \S+\.log\)$/,
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

// Half of them for a client of each era.
test.each(['v2 modern', 'v2 legacy'] as const)(
  'broken servers make only themselves unavailable, each with a plain reason for a %s client',
  async (flavour) => {
    const bad = Object.entries(broken).filter((_, index) => (index % 2 === 0) === (flavour === 'v2 modern'));
    const good = Array.from({ length: 3 }, (_, index) => [`good-${index}`, fixture('--tools', 'echo')] as const);
    const [first, ...others] = good;
    const config = devToolbox(
      new Map([...(first ? [first] : []), ...bad.map(([what, [entry]]) => [what, entry()] as const), ...others]),
    );
    const agent = await connectAgent(flavour, { config });
    const { servers_connected, unavailable, tools } = opened(await agent.open('dev'));
    expect(servers_connected).toBe(good.length);
    expect(tools.map(({ server }) => server)).toEqual(good.map(([name]) => name));
    expect(unavailable).toEqual(bad.map(([server, [, reason]]) => ({ server, reason: expect.stringMatching(reason) })));
    for (const [name] of good)
      expect(text(await agent.use('dev', name, 'echo', { name }))).toBe(JSON.stringify({ name }));
    for (const [server] of bad) {
      const refused = await agent.use('dev', server, 'echo');
      expect(refused.isError).toBe(true);
      expect(text(refused)).toContain(`Failed to connect to server '${server}' in toolbox 'dev': `);
    }
    // No process of the broken ones is left.
    await until(() => processesWith(agent.marker).length === good.length);
    expect(scriptedServersWith(agent.marker)).toHaveLength(good.length);
  },
);

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
