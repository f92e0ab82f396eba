import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakeServer, pending, serverConfig } from '../../../test/support/fake-port.js';
import { DownstreamFailure, NotSent } from '../../contract/downstream-failure.js';
import type { CallToolResult } from '../../contract/types.js';
import { silentLog } from '../../platform/log.js';
import { ValueResult } from '../../results/tool-result.js';
import type { ConnectDownstream, Downstream } from '../ports/downstream.js';
import { silentObserver } from './silent-observer.js';
import { createSupervisor } from './supervisor.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const around = (connect: ConnectDownstream) => ({ connect, learn: () => {}, log: silentLog, observer: silentObserver });

function supervise(limits: Parameters<typeof serverConfig>[0] = {}) {
  const fake = new FakeServer();
  return { fake, supervisor: createSupervisor(serverConfig(limits), 45_000, around(fake.connect)) };
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

const crashOnStart = async () => {
  throw new DownstreamFailure('crashed', 'it exited with code 7');
};

describe('a supervised server', () => {
  test('sleeps until it is needed', async () => {
    const { fake, supervisor } = supervise();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(fake.starts).toBe(0);
    await supervisor.list();
    expect(fake.starts).toBe(1);
  });

  test('is started once for any number of concurrent callers', async () => {
    const { fake, supervisor } = supervise();
    const all = Array.from({ length: 50 }, (_, i) => (i % 2 ? supervisor.list() : supervisor.call('echo', {}, {})));
    await Promise.all(all);
    expect(fake.starts).toBe(1);
    expect(fake.listings).toBe(1);
  });

  test('can be started again after a failed start', async () => {
    const { fake, supervisor } = supervise();
    fake.onStart = async () => {
      throw new DownstreamFailure('unreachable', 'no such command');
    };
    await expect(supervisor.list()).rejects.toThrow('no such command');
    fake.onStart = async () => {};
    await expect(supervisor.list()).resolves.toBeDefined();
    expect(fake.starts).toBe(2);
  });

  test('fails to start when it is not ready within its own timeout', async () => {
    const { fake, supervisor } = supervise({ limits: { startTimeoutMs: 500 } });
    fake.onStart = aborted;
    const listed = expect(supervisor.list()).rejects.toThrow('it was not ready within 500 ms (startTimeoutMs)');
    await vi.advanceTimersByTimeAsync(500);
    await listed;
    expect(fake.running).toBe(0);
  });

  test.each([
    ['it answers nothing', { onStart: (signal: AbortSignal) => aborted(signal) }],
    ['it lists nothing', { onList: (signal: AbortSignal) => aborted(signal) }],
  ])('fails with what it wrote last when it is not ready in time: %s', async (_, behaviour) => {
    const { fake, supervisor } = supervise({ limits: { startTimeoutMs: 500 } });
    Object.assign(fake, behaviour);
    fake.lastWords = 'it last wrote: no key';
    const listed = expect(supervisor.list()).rejects.toMatchObject({
      message: 'it was not ready within 500 ms (startTimeoutMs); it last wrote: no key',
      log: '/logs/fs.log',
    });
    await vi.advanceTimersByTimeAsync(500);
    await listed;
  });

  test('is waited for until a limit, and then reported with what it wrote last', async () => {
    const { fake, supervisor } = supervise();
    const start = pending<void>();
    fake.onStart = () => start.promise;
    fake.lastWords = 'it last wrote: loading';
    expect(await supervisor.lastWords()).toBeUndefined();
    const [listed, woken] = [supervisor.list({ limitMs: 100 }), supervisor.wake({ limitMs: 100 })];
    const late = [listed, woken].map((waiting) =>
      expect(waiting).rejects.toMatchObject({ name: 'StillWaiting', lastWords: 'it last wrote: loading' }),
    );
    await vi.advanceTimersByTimeAsync(100);
    await Promise.all(late);
    start.resolve();
    await supervisor.list();
    expect(await supervisor.lastWords()).toBeUndefined();
    expect(fake.starts).toBe(1);
  });

  test('is closed when its tools cannot be listed', async () => {
    const { fake, supervisor } = supervise();
    fake.onList = async () => {
      throw new DownstreamFailure('protocol', 'no tools here');
    };
    await expect(supervisor.list()).rejects.toThrow('no tools here');
    expect(fake.running).toBe(0);
  });

  test('goes back to sleep when idle, keeps its tool list, and is woken by the next call', async () => {
    const { fake, supervisor } = supervise({ limits: { idleTimeoutMs: 1_000 } });
    await supervisor.call('echo', {}, {});
    await vi.advanceTimersByTimeAsync(1_000);
    expect(fake.running).toBe(0);
    expect((await supervisor.list()).tools.get('echo')).toBeDefined();
    expect(fake.starts).toBe(1);
    await supervisor.call('echo', {}, {});
    expect(fake.starts).toBe(2);
  });

  test('does not sleep while a call runs, however long it takes', async () => {
    const { fake, supervisor } = supervise({ limits: { idleTimeoutMs: 1_000 } });
    const slow = pending<CallToolResult>();
    fake.onCall = () => slow.promise;
    const call = supervisor.call('echo', {}, {});
    await vi.advanceTimersByTimeAsync(5_000);
    expect(fake.running).toBe(1);
    slow.resolve({ content: [] });
    await call;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(fake.running).toBe(0);
  });

  test('never sleeps with an idle timeout of 0', async () => {
    const { fake, supervisor } = supervise({ limits: { idleTimeoutMs: 0 } });
    await supervisor.list();
    await vi.advanceTimersByTimeAsync(24 * 3_600_000);
    expect(fake.running).toBe(1);
  });

  test('is restarted at once after each of five crashes in a row, then refused for 1, 2, 4, 8 and 16 s', async () => {
    const { fake, supervisor } = supervise();
    fake.onStart = crashOnStart;
    for (let crash = 1; crash <= 6; crash++) await expect(supervisor.list()).rejects.toThrow('code 7');
    expect(fake.starts).toBe(6);
    for (const seconds of [1, 2, 4, 8, 16, 16]) {
      await expect(supervisor.list()).rejects.toThrow(
        /^crash loop: it crashed \d+ times in a row, next try in \d+ s; last time it exited with code 7$/,
      );
      await vi.advanceTimersByTimeAsync(seconds * 1_000 - 1);
      await expect(supervisor.call('echo', {}, {})).rejects.toMatchObject({
        cause: { message: expect.stringContaining('crash loop') },
      });
      // A quarter more, at most: the jitter.
      await vi.advanceTimersByTimeAsync(seconds * 250 + 2);
      await expect(supervisor.list()).rejects.toThrow('code 7');
    }
    expect(fake.starts).toBe(12);
  });

  test('has its crash count reset after five stable minutes', async () => {
    const { fake, supervisor } = supervise({ limits: { idleTimeoutMs: 0 } });
    fake.onStart = crashOnStart;
    for (let crash = 1; crash <= 5; crash++) await expect(supervisor.list()).rejects.toThrow('code 7');
    fake.onStart = async () => {};
    await supervisor.list();
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    fake.crash();
    await supervisor.list();
    fake.crash();
    await expect(supervisor.list()).resolves.toBeDefined();
  });

  test('is not refused for longer when the system clock is set back an hour', async () => {
    const { fake, supervisor } = supervise();
    fake.onStart = crashOnStart;
    for (let crash = 1; crash <= 6; crash++) await expect(supervisor.list()).rejects.toThrow('code 7');
    vi.setSystemTime(Date.now() - 3_600_000);
    await expect(supervisor.list()).rejects.toThrow(/^crash loop: .* next try in [12] s;/);
    await vi.advanceTimersByTimeAsync(1_252);
    await expect(supervisor.list()).rejects.toThrow('code 7');
  });

  test('still counts as crashed early when the system clock is set forward an hour', async () => {
    const { fake, supervisor } = supervise();
    for (let crash = 1; crash <= 6; crash++) {
      await supervisor.list();
      vi.setSystemTime(Date.now() + 3_600_000);
      fake.crash();
      await vi.advanceTimersByTimeAsync(0);
    }
    await expect(supervisor.list()).rejects.toThrow('crash loop: it crashed 6 times in a row, next try in');
  });

  test('counts a crash of a server that had been ready for a short time', async () => {
    const { fake, supervisor } = supervise({ limits: { idleTimeoutMs: 0 } });
    for (let crash = 1; crash <= 6; crash++) {
      await supervisor.list();
      fake.crash();
      await vi.advanceTimersByTimeAsync(0);
    }
    await expect(supervisor.list()).rejects.toThrow('crash loop: it crashed 6 times in a row, next try in');
  });

  test('never retries a call whose outcome is unknown', async () => {
    const { fake, supervisor } = supervise();
    let calls = 0;
    fake.onCall = async () => {
      calls++;
      fake.crash();
      throw new DownstreamFailure('crashed', 'it exited with code 1');
    };
    await expect(supervisor.call('echo', {}, {})).rejects.toThrow('it exited with code 1');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls).toBe(1);
    expect(fake.starts).toBe(1);
  });

  test('runs calls up to its limit, queues some, and refuses the rest', async () => {
    const { fake, supervisor } = supervise({ limits: { maxConcurrentCalls: 2, maxQueuedCalls: 1 } });
    const slow = pending<CallToolResult>();
    fake.onCall = () => slow.promise;
    const accepted = [1, 2, 3].map(() => supervisor.call('echo', {}, {}));
    await expect(supervisor.call('echo', {}, {})).rejects.toThrow('it is busy (calls running: 2, waiting: 1)');
    slow.resolve({ content: [] });
    expect(await Promise.all(accepted)).toHaveLength(3);
    await expect(supervisor.call('echo', {}, {})).resolves.toBeDefined();
  });

  test('frees the place of a call that is cancelled while queued', async () => {
    const { fake, supervisor } = supervise({ limits: { maxConcurrentCalls: 1, maxQueuedCalls: 1 } });
    const slow = pending<CallToolResult>();
    fake.onCall = () => slow.promise;
    const running = supervisor.call('echo', {}, {});
    const agent = new AbortController();
    const waiting = supervisor.call('echo', {}, { signal: agent.signal });
    agent.abort();
    await expect(waiting).rejects.toThrow('cancelled while it was queued');
    const next = supervisor.call('echo', {}, {});
    slow.resolve({ content: [] });
    await Promise.all([running, next]);
  });

  test('lists once more for ten thousand changes at once, and at most twice for ten thousand within half a second', async () => {
    const { fake, supervisor } = supervise();
    const { tools } = await supervisor.wake();
    fake.tools = ['echo', 'fresh'];
    for (let i = 0; i < 10_000; i++) fake.listener?.toolsChanged();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(fake.listings).toBe(2);
    expect(tools.get('fresh')).toBeDefined();
    for (let i = 0; i < 10_000; i++) {
      fake.listener?.toolsChanged();
      if (i % 20 === 0) await vi.advanceTimersByTimeAsync(1);
    }
    await vi.advanceTimersByTimeAsync(2_000);
    expect(fake.listings).toBeLessThanOrEqual(2 + 2);
  });

  test('lists reported changes at once when its tools are requested', async () => {
    const { fake, supervisor } = supervise();
    await supervisor.list();
    fake.tools = ['fresh'];
    fake.listener?.toolsChanged();
    expect((await supervisor.list()).tools.tools.map(({ name }) => name)).toEqual(['fresh']);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(fake.listings).toBe(2);
  });

  test('keeps its tools when a later listing fails', async () => {
    const { fake, supervisor } = supervise();
    const { tools } = await supervisor.wake();
    fake.onList = async () => {
      throw new DownstreamFailure('protocol', 'not now');
    };
    await expect(tools.refresh()).rejects.toThrow('not now');
    fake.listener?.toolsChanged();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(tools.get('echo')).toBeDefined();
  });

  test('is closed for good, even during a start, and then refuses calls', async () => {
    const { fake, supervisor } = supervise();
    const started = pending<void>();
    fake.onStart = () => started.promise;
    const listing = expect(supervisor.list()).rejects.toThrow('the workbench is closing');
    const closed = supervisor.close();
    started.resolve();
    await closed;
    await listing;
    expect(fake.running).toBe(0);
    await expect(supervisor.call('echo', {}, {})).rejects.toThrow('the server could not be started');
  });
});

test('a call that was not sent because the connection had ended goes to the next connection', async () => {
  const { fake, supervisor } = supervise();
  await supervisor.list();
  let tries = 0;
  fake.onCall = async () => {
    tries++;
    if (tries > 1) return { content: [] };
    setTimeout(() => fake.crash(), 100);
    throw new NotSent('crashed', 'it had already exited');
  };
  const call = supervisor.call('echo', {}, {});
  await vi.advanceTimersByTimeAsync(200);
  expect((await call).value()).toEqual({ content: [] });
  expect(fake.starts).toBe(2);
});

test('tools that change while the server is still being listed are listed again', async () => {
  const { fake, supervisor } = supervise();
  fake.onList = async () => {
    fake.onList = async () => {};
    fake.listener?.toolsChanged();
    queueMicrotask(() => {
      fake.tools = ['echo', 'fresh'];
    });
  };
  await supervisor.list();
  await vi.advanceTimersByTimeAsync(2_000);
  expect((await supervisor.list()).tools.get('fresh')).toBeDefined();
  expect(fake.listings).toBe(2);
});

test('a server whose cleanup fails can be started again', async () => {
  const { fake, supervisor } = supervise({ limits: { idleTimeoutMs: 1_000 } });
  await supervisor.list();
  fake.onClose = async () => {
    throw new Error('no such directory');
  };
  fake.crash();
  await expect(supervisor.call('echo', {}, {})).resolves.toBeDefined();
  expect(fake.starts).toBe(2);
});

test('a sleeping server keeps its listing and nothing of its connection', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const connections: WeakRef<Downstream>[] = [];
  const connect: ConnectDownstream = async () => {
    const downstream: Downstream = {
      instructions: 'how to use it',
      listTools: async () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }], omissions: {} }),
      callTool: async () => new ValueResult({ content: [] }),
      readResource: async () => ({}),
      adjust: () => {},
      close: async () => {},
    };
    connections.push(new WeakRef(downstream));
    return downstream;
  };
  const server = serverConfig({ limits: { idleTimeoutMs: 1_000 } });
  const supervisor = createSupervisor(server, 45_000, around(connect));
  const collected = async () => {
    await turn();
    collectGarbage();
    return connections[0]?.deref() === undefined;
  };
  await supervisor.list();
  expect(await collected()).toBe(false);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await collected()).toBe(true);
  const { tools, instructions } = await supervisor.list();
  expect([tools.get('echo')?.name, instructions]).toEqual(['echo', 'how to use it']);
  expect(connections).toHaveLength(1);
});
