// @module-tag hostile
// @module-tag slow
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { residentMb } from '../support/bare-client.js';
import { devToolbox } from '../support/configs.js';
import { hostile, reached, type Way, ways } from '../support/hostile.js';
import { startedRunnerOf } from '../support/hosts.js';
import { prepareLaunch, stopWhenTestFinishes } from '../support/launch.js';
import { linuxOnly } from '../support/platform.js';
import { expectNoProcessLeft } from '../support/processes.js';
import { until } from '../support/until.js';

linuxOnly('memory and input in /proc');

const MB = 1_000_000;

/** An agent that does not read at first. */
async function connectUnreading(limits: object = {}, way: Way = 'stdio') {
  const flooding = await reached(way, { ...hostile('flood'), ...limits });
  const servers = { hostile: flooding, exits: hostile('exit-after-answer') };
  const { command, args, env, cwd, marker } = prepareLaunch({ config: devToolbox(servers) });
  const child = spawn(command, args, { env, cwd, stdio: ['pipe', 'pipe', 'ignore'] });
  const exited = once(child, 'close');
  const lines: string[] = [];
  stopWhenTestFinishes(marker, async () => {
    child.stdin.end();
    child.stdout.resume();
    await exited;
  });
  const kill = (signal: NodeJS.Signals) => child.kill(signal);
  const disconnect = () => {
    child.stdout.destroy();
    child.stdin.destroy();
  };
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'unreading', version: '1' };
  send({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
  return {
    pid: child.pid ?? 0,
    ...{ lines, send, kill, disconnect, marker, exited: once(child, 'exit') },
    call: (id: number, name: string, given: object, server = 'hostile') =>
      send({
        id,
        method: 'tools/call',
        params: {
          name: 'use_tool',
          arguments: { tool: { toolbox: 'dev', server, name }, arguments: given },
          _meta: { progressToken: id },
        },
      }),
    read: () => createInterface({ input: child.stdout }).on('line', (line) => lines.push(line)),
    answerTo: (id: number) =>
      lines.find(
        (line) => !line.includes('"method"') && new RegExp(`"id":${id}[,}]`).test(line.slice(0, 60) + line.slice(-60)),
      ),
  };
}

type Unreading = Awaited<ReturnType<typeof connectUnreading>>;

/** Bytes that a process has read from files and pipes so far. */
function bytesRead(pid: number): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);
}

/** Waits until a process has read as many bytes, and then reads nothing for a second. Returns how much it has read. */
async function untilQuietAfter(bytes: number, pid: number): Promise<number> {
  let before = -1;
  return until(
    async () => {
      const now = bytesRead(pid);
      const isQuiet = now >= bytes && now === before;
      before = now;
      await wait(1_000);
      return isQuiet && now;
    },
    { what: `${bytes} bytes and an end of reading` },
  );
}

test.each(ways)(
  'results over %s for an agent that does not read stay with their server, and all arrive once it reads',
  {
    timeout: 120_000,
  },
  async (way) => {
    const agent = await connectUnreading({}, way);
    agent.call(1, 'echo', {});
    const runner = await startedRunnerOf(agent);
    const atFirst = await untilQuietAfter(0, runner);
    const memory = residentMb(runner);
    const calls = Array.from({ length: 20 }, (_, index) => 100 + index);
    for (const id of calls) agent.call(id, 'attack', { progress: 0, bytes: 8 * MB });
    const read = (await untilQuietAfter(atFirst + 16 * MB, runner)) - atFirst;
    // Of 160 MB; the limit, one result more, and what is in pipes, in the session and in its host.
    expect(read).toBeLessThan((runner === agent.pid ? 32 : 64) * MB);
    expect(residentMb(runner) - memory).toBeLessThan(120);
    agent.read();
    await until(() => calls.every((id) => agent.answerTo(id) !== undefined), {
      what: 'an answer to every call',
      withinMs: 90_000,
    });
    for (const id of calls) expect(agent.answerTo(id)?.length).toBeGreaterThan(8 * MB);
  },
);

test('progress for an agent that does not read is dropped, and the result arrives once it reads', async () => {
  const agent = await connectUnreading();
  agent.call(1, 'echo', {});
  const runner = await startedRunnerOf(agent);
  const atFirst = await untilQuietAfter(0, runner);
  const memory = residentMb(runner);
  agent.call(2, 'attack', { progress: 100_000, bytes: 1_000 });
  // All of it is read: the server is not held up by it.
  await untilQuietAfter(atFirst + 100 * MB, runner);
  expect(residentMb(runner) - memory).toBeLessThan(120);
  agent.read();
  await until(() => agent.answerTo(2));
  const progress = agent.lines.filter((line) => line.includes('"notifications/progress"'));
  expect(progress.length).toBeGreaterThan(0);
  expect(progress.join('').length).toBeLessThan(14 * MB);
  agent.call(3, 'echo', {});
  await until(() => agent.answerTo(3));
});

/** Calls until no more is read; the agent has read nothing of it. Returns the ids of the calls. */
async function fill(agent: Unreading): Promise<readonly number[]> {
  const calls = [100, 101, 102, 103];
  for (const id of calls) agent.call(id, 'attack', { progress: 0, bytes: 8 * MB });
  await untilQuietAfter(16 * MB, await startedRunnerOf(agent));
  return calls;
}

test('an unread answer is neither too late nor lost when its server exits', {
  timeout: 60_000,
}, async () => {
  const callTimeoutMs = 8_000;
  const agent = await connectUnreading({ callTimeoutMs });
  agent.call(1, 'echo', {});
  agent.call(2, 'echo', {}, 'exits');
  await untilQuietAfter(0, await startedRunnerOf(agent));
  const calls = await fill(agent);
  agent.call(200, 'attack', {}, 'exits');
  await wait(callTimeoutMs + 1_000);
  agent.read();
  await until(() => [...calls, 200].every((id) => agent.answerTo(id) !== undefined), {
    what: 'an answer to every call',
    withinMs: 30_000,
  });
  for (const id of calls) expect(agent.answerTo(id)?.length).toBeGreaterThan(8 * MB);
  expect(agent.answerTo(200)).toContain('last words');
});

test.each([
  ['gets SIGTERM', (agent: Unreading) => agent.kill('SIGTERM')],
  ['loses its agent', (agent: Unreading) => agent.disconnect()],
])('a workbench whose agent does not read exits when it %s', { timeout: 60_000 }, async (_, act) => {
  const agent = await connectUnreading();
  await fill(agent);
  act(agent);
  await agent.exited;
  await expectNoProcessLeft(agent.marker);
});

test('an agent that asks and does not read is not read either, and gets every answer once it reads', {
  timeout: 60_000,
}, async () => {
  const agent = await connectUnreading();
  const atFirst = await untilQuietAfter(0, agent.pid);
  const memory = residentMb(agent.pid);
  const requests = 80_000;
  const padding = 'x'.repeat(100);
  for (let id = 1; id <= requests; id++) agent.send({ id, method: 'tools/list', params: { padding } });
  const read = (await untilQuietAfter(atFirst + 100_000, agent.pid)) - atFirst;
  expect(read).toBeLessThan((requests * 150) / 2);
  expect(residentMb(agent.pid) - memory).toBeLessThan(150);
  agent.read();
  await until(() => agent.lines.length > requests, { what: 'an answer to every request', withinMs: 40_000 });
});
