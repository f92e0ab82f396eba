import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakeServer, fakeAgent, pending, serverConfig } from '../../../test/support/fake-port.js';
import { modernRevision } from '../../jsonrpc/revisions.js';
import { silentLog } from '../../platform/log.js';
import type { Downstream } from '../../workbench/ports/downstream.js';
import type { Opening } from '../connect.js';
import { newLease } from './lease.js';
import { openSharedConnection } from './shared-connection.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => vi.useRealTimers());

const server = serverConfig({ roots: true });
const never = new AbortController().signal;

function leaseOf(session: string) {
  const listener = { started() {}, ended() {}, toolsChanged() {}, moved: vi.fn<() => void>() };
  const agent = fakeAgent({ id: session });
  return { ...newLease({ session, listener, agent, log: silentLog, limits: server.limits }), listener };
}

/** A connection that session `first` has started and `second` wants to join, before the server is ready. */
function openTwo(mayAskForRoots: boolean, revision = '2025-11-25') {
  const fake = new FakeServer();
  const handshake = pending<void>();
  fake.onStart = () => handshake.promise;
  let given: Opening | undefined;
  const open = async (opening: Opening): Promise<Downstream> => {
    given = opening;
    const listener = { ...opening.listener, moved() {} };
    return { ...(await fake.connect(server, listener, opening.signal, opening.agent)), revision };
  };
  const [first, second] = [leaseOf('first'), leaseOf('second')];
  const more = { separate() {}, failed() {}, owner: undefined, offer: 'x' };
  const connection = openSharedConnection(first, { server, open, mayAskForRoots, ...more });
  const joined: string[] = [];
  const join = (lease: typeof first) =>
    connection.join(lease, never).then((leased) => joined.push(`${lease.session} ${leased ? 'joined' : 'refused'}`));
  void join(first);
  void join(second);
  return { joined, second, ready: () => handshake.resolve(), askForRoots: () => given?.sharing?.askedOutside() };
}

describe('a session that wants to join a connection to a server that is offered roots', () => {
  test('waits 250 ms from its start for a question, though the session that started it does not', async () => {
    const { joined, ready } = openTwo(true);
    ready();
    await vi.advanceTimersByTimeAsync(249);
    expect(joined).toEqual(['first joined']);
    await vi.advanceTimersByTimeAsync(1);
    expect(joined).toEqual(['first joined', 'second joined']);
  });

  test('does not join when the question comes: it has used nothing that it would have to give up', async () => {
    const { joined, second, ready, askForRoots } = openTwo(true);
    ready();
    await vi.advanceTimersByTimeAsync(200);
    askForRoots();
    await vi.advanceTimersByTimeAsync(0);
    expect(joined).toEqual(['first joined', 'second refused']);
    expect(second.listener.moved).not.toHaveBeenCalled();
  });

  test.each([
    ['is modern, and asks only in answers to calls', true, modernRevision],
    ['is not offered roots after all', false, undefined],
  ])('waits for nothing if the server %s', async (_, mayAsk, revision) => {
    const { joined, ready } = openTwo(mayAsk, revision);
    ready();
    await vi.advanceTimersByTimeAsync(0);
    expect(joined).toEqual(['first joined', 'second joined']);
  });
});
