import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { builtProgram } from './launch.js';
import { hostOf, type SharedSessions, use } from './shared.js';
import { watchSlowdown } from './stopwatch.js';
import type { Message } from './workbench.js';

/** A session whose calls can be timed, many at once: nothing is searched for, and nothing is kept. */
export interface QuickSession {
  call(name: string, args?: object): Promise<Message>;
  /**
   * How long each of so many calls takes, one after the other. Each sleeps for the same time, and must succeed. That host and server wait for a
   * processor does not count: busy ones wait longer than others, which depends on what else the machine does.
   */
  timesOf(count: number): Promise<number[]>;
  /** Reads from now on, if it has read nothing yet. */
  read(): void;
}

/** Most of the time of a call on any machine, so that it can be compared with a multiple of itself. */
const sleepMs = 25;

export function startQuick(shared: SharedSessions, { reads = true }: { readonly reads?: boolean } = {}): QuickSession {
  const env = { PATH: process.env['PATH'] ?? '', HOME: shared.home };
  const args = [builtProgram, '--config', shared.file, '--host-name', shared.hostName];
  const child = spawn(process.execPath, args, { env, cwd: shared.cwd, stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map<unknown, (message: Message) => void>();
  const closed = once(child, 'exit');
  const read = () => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message: Message = JSON.parse(line);
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    });
  };
  if (reads) read();
  onTestFinished(async () => {
    child.kill(reads ? 'SIGTERM' : 'SIGKILL');
    await closed;
  });
  let last = 0;
  const call = (name: string, given: object = {}) => {
    const id = ++last;
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: use(name, given) })}\n`);
    return new Promise<Message>((resolve) => waiting.set(id, resolve));
  };
  return {
    call,
    read,
    async timesOf(count) {
      const slowdown = watchSlowdown(...[hostOf(shared), ...shared.servers()].map(({ pid }) => pid));
      const times: number[] = [];
      for (let index = 0; index < count; index++) {
        const begun = performance.now();
        const { result } = await call('sleep', { ms: sleepMs });
        times.push(performance.now() - begun);
        if (result === undefined || result['isError'] === true) throw new Error(`refused: ${JSON.stringify(result)}`);
      }
      const factor = slowdown();
      return times.map((ms) => sleepMs + (ms - sleepMs) / factor);
    },
  };
}

/** The value that so much of them, such as 0.95, do not exceed. */
export function percentile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(part * values.length) - 1] ?? Number.NaN;
}
