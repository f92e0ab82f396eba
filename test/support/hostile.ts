import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Agent } from './agents.js';
import { text } from './agents.js';
import type { ServerEntry } from './configs.js';
import { runnerOf } from './hosts.js';
import { overHttp } from './remote.js';
import { startStopwatchFor } from './stopwatch.js';

const program = fileURLToPath(new URL('../fixtures/hostile-server.mjs', import.meta.url));

/** An entry for a server that makes these attacks, in order, when its tool `attack` is called. */
export function hostile(...attacks: [string, ...string[]]): ServerEntry {
  return { command: process.execPath, args: [program, attacks.join()] };
}

/** The same, of 2026-07-28. */
export function modernHostile(...attacks: [string, ...string[]]): ServerEntry {
  return { command: process.execPath, args: [program, attacks.join(), '--modern'] };
}

/** How a hostile server is reached. */
export const ways = ['stdio', 'HTTP'] as const;
export type Way = (typeof ways)[number];

/** The entry by which a server is reached in this way. */
export async function reached(way: Way, entry: ServerEntry): Promise<ServerEntry> {
  return way === 'stdio' ? entry : (await overHttp(entry, { sessions: true, answers: 'sse' })).entry;
}

const calls = 5;
/** What a person does not notice; as measured on an idle machine. */
const limitMs = 200;

/**
 * Calls a server's `echo` over and over until `attack` has settled, and a few more times. Every call must be answered, none
 * more than 200 ms later than the slowest of some before the attack. Times are corrected for the load of the machine.
 */
export async function expectNotHeldUp<T>(
  agent: Pick<Agent, 'use' | 'pid'>,
  [toolbox, server]: readonly [string, string],
  attack: () => Promise<T>,
): Promise<T> {
  const echo = async (index: number) => {
    const stopwatch = startStopwatchFor(...new Set([agent.pid, runnerOf(agent)]));
    expect(text(await agent.use(toolbox, server, 'echo', { index }))).toBe(JSON.stringify({ index }));
    return stopwatch();
  };
  await echo(0);
  const idle: number[] = [];
  for (let index = 0; index < calls; index++) idle.push(await echo(index));
  const over = new AbortController();
  const attacking = attack().finally(() => over.abort());
  const under: number[] = [];
  for (let index = 0; !over.signal.aborted || index < calls; index++) under.push(await echo(index));
  const result = await attacking;
  expect(Math.max(...under)).toBeLessThan(Math.max(...idle) + limitMs);
  return result;
}
