import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { serverConfig } from '../../../test/support/fake-port.js';
import type { ServerConfig } from '../../config/config.js';
import { DownstreamFailure } from '../../contract/downstream-failure.js';
import { isRequest, type RpcMessage, type RpcRequest } from '../../jsonrpc/messages.js';
import { longestInstructions } from '../../limits.js';
import { connect, type Ending } from './connect.js';
import type { Wire, WireSink } from './wire.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

type Reaction = object | 'exit' | `exit ${string}` | 'silence';
/** What a server does on a request: answers with a result or an error, ends, or does not answer. */
type Behaviour = (request: RpcRequest) => Reaction;

/** A wire without a process: the server is a function. */
function wireTo(behave: Behaviour, log: string[], delayMs: number): Wire {
  let sink: WireSink | undefined;
  let isOver = false;
  const end = (failure?: DownstreamFailure) => {
    if (isOver) return;
    isOver = true;
    sink?.ended(failure);
  };
  function react(message: RpcRequest): void {
    const reaction = behave(message);
    if (isOver || reaction === 'silence') return;
    if (typeof reaction === 'string')
      end(new DownstreamFailure('crashed', `it exited with code 1${reaction.slice(4)}`));
    else sink?.message({ jsonrpc: '2.0', id: message.id, ...reaction } as RpcMessage, 100);
  }
  log.push('start');
  return {
    start(to) {
      sink = to;
    },
    send(message) {
      if (!isRequest(message)) return;
      log.push(message.method);
      setTimeout(() => react(message), delayMs);
    },
    pause() {},
    resume() {},
    lastWords: async () => undefined,
    async close() {
      end();
      await new Promise((resolve) => setTimeout(resolve, 50));
      log.push('closed');
    },
  };
}

interface Settings extends Partial<ServerConfig> {
  readonly isRemembered?: boolean;
  readonly delayMs?: number;
  /** How it ended in both eras before. */
  readonly ending?: Ending | undefined;
}

function setUp(behave: Behaviour, settings: Settings = {}) {
  const { isRemembered = false, delayMs = 10, ending: known, ...server } = settings;
  let ending = known;
  const log: string[] = [];
  const memory: string[] = [];
  const record = {
    isLegacy: () => isRemembered,
    remember: () => void memory.push('remember'),
    forget: () => void memory.push('forget'),
    knownEnding: () => ending,
    rememberEnding: (last: Ending) => {
      ending = last;
    },
    forgetEnding: () => {
      ending = undefined;
    },
  };
  const abort = new AbortController();
  const ended = vi.fn<() => void>();
  const notes: string[] = [];
  const connected = connect(async () => wireTo(behave, log, delayMs), record, {
    server: serverConfig(server),
    listener: { started: () => {}, ended, toolsChanged: () => {} },
    signal: abort.signal,
    agent: undefined,
    journal: {
      file: undefined,
      mask: (text) => text,
      note: (text) => void notes.push(text),
      warn: () => {},
      output: () => {},
    },
  });
  connected.catch(() => {});
  return { connected, log, memory, abort, ended, notes, ending: () => ending };
}

const unknownMethod = { error: { code: -32_601, message: 'Method not found' } };
const serverInfo = { name: 'x', version: '1', title: 'Zoo\u200B', description: 'Knows zebras' };
const initialized = {
  result: { protocolVersion: '2025-11-25', capabilities: {}, instructions: 'an old one', serverInfo },
};
const discovered = {
  result: {
    supportedVersions: ['2026-07-28'],
    capabilities: {},
    instructions: 'a new one',
    _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
  },
};
const legacy: Behaviour = ({ method }) => (method === 'initialize' ? initialized : unknownMethod);
const modern: Behaviour = ({ method }) => (method === 'server/discover' ? discovered : unknownMethod);

async function instructionsOf({ connected }: ReturnType<typeof setUp>): Promise<string | undefined> {
  await vi.advanceTimersByTimeAsync(60_000);
  return (await connected).instructions;
}

describe('over any wire', () => {
  test('a legacy server is found by one probe and remembered', async () => {
    const tried = setUp(legacy);
    expect(await instructionsOf(tried)).toBe('an old one');
    expect(tried.log).toEqual(['start', 'server/discover', 'initialize']);
    expect(tried.memory).toEqual(['remember']);
    expect(tried.notes).toEqual(['connected (protocol 2025-11-25)']);
  });

  test('a modern server is found by one probe', async () => {
    const tried = setUp(modern);
    expect(await instructionsOf(tried)).toBe('a new one');
    expect(tried.log).toEqual(['start', 'server/discover']);
    expect(tried.memory).toEqual([]);
  });

  test('a modern server that refuses the revision it lists is asked once more', async () => {
    const data = { supported: ['2026-07-28'], requested: '2026-07-28' };
    const refused = { error: { code: -32_022, message: 'Unsupported protocol version', data } };
    const answers: object[] = [refused, discovered];
    const tried = setUp(() => answers.shift() ?? unknownMethod);
    expect(await instructionsOf(tried)).toBe('a new one');
    expect(tried.log).toEqual(['start', 'server/discover', 'server/discover']);
    const stubborn = setUp(() => refused, { protocol: '2026-07-28' });
    await expect(instructionsOf(stubborn)).rejects.toThrow('does not support protocol revision 2026-07-28');
    expect(stubborn.log).toEqual(['start', 'server/discover', 'server/discover', 'closed']);
  });

  test.each([
    ['legacy', legacy],
    ['modern', modern],
  ])('a %s server says what it is, without hidden characters', async (_, behaviour) => {
    const { connected } = setUp(behaviour);
    await vi.advanceTimersByTimeAsync(60_000);
    expect((await connected).about).toBe('Zoo. Knows zebras');
  });

  test.each([undefined, 7, [], { title: 7, description: null }, { title: '' }])(
    'a server whose serverInfo is %j says nothing about itself',
    async (odd) => {
      const { connected } = setUp(({ method }) =>
        method === 'initialize' ? { result: { ...initialized.result, serverInfo: odd } } : unknownMethod,
      );
      await vi.advanceTimersByTimeAsync(60_000);
      expect((await connected).about).toBeUndefined();
    },
  );

  test('instructions over their limit are cut, so that no lock or cache grows by them', async () => {
    const tried = setUp(({ method }) =>
      method === 'initialize'
        ? { result: { ...initialized.result, instructions: 'x'.repeat(longestInstructions + 1) } }
        : unknownMethod,
    );
    expect(await instructionsOf(tried)).toBe(`${'x'.repeat(longestInstructions - 1)}…`);
  });

  test('a remembered legacy server is not probed', async () => {
    const tried = setUp(legacy, { isRemembered: true });
    expect(await instructionsOf(tried)).toBe('an old one');
    expect(tried.log).toEqual(['start', 'initialize']);
  });

  test('a server that exits on the probe gets a second wire, after the first is closed', async () => {
    const tried = setUp((request) => (request.method === 'server/discover' ? 'exit' : legacy(request)));
    expect(await instructionsOf(tried)).toBe('an old one');
    expect(tried.log).toEqual(['start', 'server/discover', 'closed', 'start', 'initialize']);
    expect(tried.memory).toEqual(['remember']);
    expect(tried.ended).not.toHaveBeenCalled();
  });

  test('a modern server that answers after 4 s is tried again as modern', async () => {
    const tried = setUp(modern, { delayMs: 4_000 });
    expect(await instructionsOf(tried)).toBe('a new one');
    expect(tried.log).toEqual([
      ...['start', 'server/discover', 'initialize', 'closed'],
      ...['start', 'server/discover'],
    ]);
    expect(tried.memory).toEqual([]);
  });

  test('a server of both eras that answers after 4 s is served as legacy and not remembered', async () => {
    const both: Behaviour = (request) => (request.method === 'initialize' ? initialized : modern(request));
    const tried = setUp(both, { delayMs: 4_000 });
    expect(await instructionsOf(tried)).toBe('an old one');
    expect(tried.log).toEqual(['start', 'server/discover', 'initialize']);
    expect(tried.memory).toEqual([]);
  });

  test('an outdated memory is dropped, and the server found', async () => {
    const tried = setUp(modern, { isRemembered: true });
    expect(await instructionsOf(tried)).toBe('a new one');
    expect(tried.log).toEqual(['start', 'initialize', 'closed', 'start', 'server/discover']);
    expect(tried.memory).toEqual(['forget']);
  });

  test('a server that always exits is started twice, and the failure has the reason', async () => {
    const tried = setUp(() => 'exit');
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(tried.connected).rejects.toMatchObject({ kind: 'crashed', message: 'it exited with code 1' });
    expect(tried.log.filter((entry) => entry === 'start')).toHaveLength(2);
  });

  test('a server that ended the same way in both eras is started once from then on', async () => {
    const ids = ['100', 'a1b', 'Qz4'].values();
    const fail = () => `exit [${ids.next().value}] no key` as const;
    const first = setUp(fail);
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(first.connected).rejects.toThrow('it exited with code 1 [a1b] no key');
    const second = setUp(fail, { ending: first.ending() });
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(second.connected).rejects.toThrow('it exited with code 1 [Qz4] no key');
    expect(second.log).toEqual(['start', 'server/discover', 'closed']);
  });

  test('a server whose failures in both eras are over connects, even if it exits in the same way on the probe', async () => {
    const first = setUp(() => 'exit');
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(first.connected).rejects.toThrow('it exited');
    const exitsOnProbe: Behaviour = (request) => (request.method === 'server/discover' ? 'exit' : legacy(request));
    const second = setUp(exitsOnProbe, { ending: first.ending() });
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(second.connected).rejects.toThrow('it exited');
    const third = setUp(exitsOnProbe, { ending: second.ending() });
    expect(await instructionsOf(third)).toBe('an old one');
    expect(third.log).toEqual(['start', 'initialize']);
    expect(third.memory).toEqual([]);
    expect(third.ending()).toBeUndefined();
  });

  test('a server that ends in another way than before is tried in the other era again', async () => {
    const first = setUp(() => 'exit no key');
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(first.connected).rejects.toThrow('no key');
    const hasKey: Behaviour = (request) => (request.method === 'server/discover' ? 'exit what?' : legacy(request));
    const second = setUp(hasKey, { ending: first.ending() });
    expect(await instructionsOf(second)).toBe('an old one');
  });

  test('a server that ends differently in each era is tried in both every time', async () => {
    const tried = setUp(({ method }) => `exit on ${method}`);
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(tried.connected).rejects.toThrow('exited with code 1 on initialize');
    expect(tried.ending()).toBeUndefined();
  });

  test('if the second attempt takes too long, the failure of the first is reported', async () => {
    const tried = setUp(({ method }) => (method === 'server/discover' ? 'exit no key' : 'silence'));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(tried.log.at(-1)).toBe('initialize');
    tried.abort.abort(new DownstreamFailure('timeout', 'it was not ready within 1000 ms'));
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(tried.connected).rejects.toMatchObject({ kind: 'crashed', message: 'it exited with code 1 no key' });
  });

  test('a start that is aborted closes the wire and is not tried again', async () => {
    const tried = setUp(() => 'silence', { isRemembered: true });
    await vi.advanceTimersByTimeAsync(100);
    tried.abort.abort(new DownstreamFailure('timeout', 'it was not ready within 100 ms'));
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(tried.connected).rejects.toMatchObject({ kind: 'timeout', message: 'it was not ready within 100 ms' });
    expect(tried.log.slice(0, 3)).toEqual(['start', 'initialize', 'closed']);
    expect(tried.log).not.toContain('server/discover');
    expect(tried.memory).toEqual(['forget']);
  });

  test('a server configured as modern is not asked to initialize', async () => {
    const tried = setUp(legacy, { protocol: '2026-07-28' });
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(tried.connected).rejects.toThrow('does not support protocol revision 2026-07-28');
    expect(tried.log).toEqual(['start', 'server/discover', 'closed']);
  });
});
