import { expect, test } from 'vitest';
import { type CallLog, callLog } from '../support/call-log.js';
import { linuxOnly } from '../support/platform.js';
import { fixture, real } from '../support/servers.js';
import { until } from '../support/until.js';
import { call, clients, resultsIn } from './scripted-clients.js';

linuxOnly('clients reach the model in a network of their own');

// Tools that take longer than some clients wait, with the default settings of both. `npm run soak:clients` has longer ones.

const isSoak = process.env['LONG_CALLS'] === 'soak';
const silentMs = (isSoak ? 240 : 80) * 1_000;
const reportingMs = (isSoak ? 600 : 150) * 1_000;
const everyMs = 5_000;
/** They give up after a minute: they are answered after so long, and wait once more for each time again. */
const earlyMs = 50_000;
const early: ReadonlySet<string> = new Set(['Cline', 'Continue']);

/** What the model calls: the tool, then its result as often as the client needs. */
function slowCalls(client: string, tool: string, args: object, ms: number) {
  const wait = { ...call(tool, {}), arguments: undefined, result: { of: 'r1' } };
  const waits = early.has(client) ? Math.ceil(ms / earlyMs) : 0;
  return [call(tool, args), ...Array.from({ length: waits }, () => wait), call('stats', {}), call('echo', {})];
}

test.each(Object.keys(clients))(
  '%s gets the result of a tool that is silent for longer than others wait, which is called once',
  async (client) => {
    const calls = slowCalls(client, 'sleep', { ms: silentMs }, silentMs);
    expect(calls.length).toBeLessThanOrEqual(3 + 12);
    const { read, printed } = await resultsIn(client, calls);
    const [stats = '', result] = read.toReversed();
    if (early.has(client))
      expect(read[0], printed).toMatch(/Still running after 50 s\. It goes on\. Wait for it: use_tool \{.*"of":"r1"/);
    // Codex writes the time before it.
    expect(result, printed).toMatch(new RegExp(`(?:^|\\n)slept ${silentMs} ms$`));
    expect(stats).toContain('"calls":2,');
  },
);

test.each(Object.keys(clients))(
  '%s gets the result of a tool that reports progress for minutes, which is called once',
  async (client) => {
    const steps = reportingMs / everyMs;
    const calls = slowCalls(client, 'progress', { steps, everyMs }, reportingMs);
    expect(calls.length).toBeLessThanOrEqual(3 + 12);
    const { read, printed } = await resultsIn(client, calls);
    const [stats = '', result] = read.toReversed();
    expect(result, printed).toMatch(new RegExp(`(?:^|\\n)${steps} steps$`));
    expect(stats).toContain('"calls":2,');
  },
);

/** The same server. The messages that it is sent are written to a log, too. */
function logged({ command = '', args = [] }: ReturnType<typeof real.everything>, { path }: CallLog) {
  return { command: 'sh', args: ['-c', 'tee -a "$0" | exec "$@"', path, command, ...args] };
}

test.each(Object.keys(clients))(
  '%s gets the result of a tool that can only be called as a task, which is called once',
  async (client) => {
    const log = callLog();
    const tool = { toolbox: 'dev', server: 'everything', name: 'simulate-research-query' };
    const research = { tool, arguments: { topic: 'zebras' } };
    const servers = { any: fixture(), everything: logged(real.everything(), log) };
    const { read, printed } = await resultsIn(client, [research, call('echo', {})], { servers });
    expect(read[0], printed).toContain('Research Report: zebras');
    expect(log.methods('tools/call')).toHaveLength(1);
  },
);

test.each(Object.keys(clients))('%s, interrupted during a call, has it cancelled at the server', async (client) => {
  const log = callLog();
  const interrupted = until(() => log.methods('tools/call').length === 1, { withinMs: 120_000, what: 'the call' });
  const calls = [call('sleep', { ms: 600_000 }), call('echo', {})];
  await resultsIn(client, calls, { servers: { any: fixture('--log', log.path) }, interrupted });
  await until(() => log.methods('notifications/cancelled').length === 1, { withinMs: 30_000, what: 'its end' });
  expect(log.methods('tools/call')).toHaveLength(1);
});
