import type { ServerConfig } from '../../config/config.js';
import { type DownstreamFailure, failureOf, StartFailure } from '../../contract/downstream-failure.js';
import { modernRevision } from '../../jsonrpc/revisions.js';
import type { ConnectionListener, Downstream, StartedServer } from '../../workbench/ports/downstream.js';
import type { Opening } from '../connect.js';
import { orAborted } from '../protocol/or-aborted.js';
import { createFairGate } from './fair-gate.js';
import { createJointAgent, jointLog } from './joint-agent.js';
import { endLease, type Lease, loseLease, moveLease } from './lease.js';
import { createLeasedCalls } from './leased-calls.js';
import { createSharedListing } from './shared-listing.js';

/** A connection that several sessions can use, each with a lease. It ends with the last one. */
export interface SharedConnection {
  readonly server: ServerConfig;
  readonly leases: ReadonlySet<Lease>;
  /** What the server was offered, if it is legacy. */
  readonly offer: string;
  readonly stage: 'starting' | 'ready' | 'over';
  readonly isModern: boolean;
  /** The only session that may use it, if there is one. */
  readonly owner: string | undefined;
  /** No session may join it any more. */
  readonly isRetired: boolean;
  /** Its process. */
  readonly program: StartedServer | undefined;
  /** Resolves when the start has succeeded or failed. */
  readonly settled: Promise<void>;
  /** Resolves when no process of it is left. */
  readonly closed: Promise<void>;
  /** Takes a lease. Undefined if no session may join it any more, or it has ended. */
  join(lease: Lease, signal: AbortSignal): Promise<Downstream | undefined>;
}

export interface SharedOpening {
  readonly server: ServerConfig;
  readonly offer: string;
  /** The session that starts it, if no other may use it. */
  readonly owner: string | undefined;
  readonly open: (opening: Opening) => Promise<Downstream>;
  /** From now on every session gets a process of its own; undefined: they go on sharing this one. */
  readonly separate: (() => void) | undefined;
  readonly failed: (failure: unknown, readyForMs: number) => void;
}

/** `starter`: the lease that it is started for; it joins as well. */
export function openSharedConnection(starter: Lease, opening: SharedOpening): SharedConnection {
  const { server, offer, owner, open, separate, failed } = opening;
  const leases = new Set<Lease>([starter]);
  const abort = new AbortController();
  const gate = createFairGate(server.limits.maxConcurrentCalls);
  const spokesman = () => (owner === undefined ? undefined : [...leases][0]?.agent);
  const joint = createJointAgent(leases, starter.agent, spokesman, gate.hold);
  let isRetired = false;
  let stage: SharedConnection['stage'] = 'starting';
  let downstream: Downstream | undefined;
  let program: StartedServer | undefined;
  let readySince = 0;
  let closeDone: (closing: Promise<void>) => void = () => {};
  const closed = new Promise<void>((resolve) => {
    closeDone = resolve;
  });
  const listing = createSharedListing((signal) => starting.then((connected) => connected.listTools(signal)));
  const calls = createLeasedCalls(gate, () => {
    if (isUnused()) void end();
  });

  const listener: ConnectionListener = {
    started(next) {
      program = next;
      for (const lease of leases) lease.listener.started(next);
    },
    ended(failure) {
      if (stage !== 'ready') return;
      failed(failure, performance.now() - readySince);
      void end();
      for (const lease of [...leases].filter(({ state }) => state === 'held')) loseLease(lease, failure);
    },
    toolsChanged() {
      listing.changed();
      for (const lease of leases) lease.listener.toolsChanged();
    },
  };

  async function start(): Promise<Downstream> {
    try {
      const sharing = { askedAmbiguously: retire };
      downstream = await open({ listener, signal: abort.signal, agent: joint.agent, sharing, log: jointLog(leases) });
      // oxlint-disable-next-line typescript/no-unnecessary-condition -- it changes while this function waits
      if (stage === 'over') closeDone(downstream.close());
      else stage = 'ready';
      updateLeases();
      readySince = performance.now();
      return downstream;
    } catch (error) {
      if (!abort.signal.aborted) failed(error, 0);
      stage = 'over';
      closeDone(error instanceof StartFailure ? error.cleanup : Promise.resolve());
      throw error;
    }
  }

  /** It cannot be said whose call a question is about, and the server may ask again: every session leaves. */
  function retire(): void {
    if (isRetired || separate === undefined) return;
    isRetired = true;
    separate();
    for (const lease of [...leases]) moveLease(lease);
  }

  /** Closes it, at once. */
  function end(reason?: DownstreamFailure): Promise<void> {
    const before = stage;
    // From now on no session joins it.
    stage = 'over';
    if (before === 'starting') abort.abort(reason);
    if (before === 'ready' && downstream !== undefined) closeDone(downstream.close());
    return closed;
  }

  function isUnused(): boolean {
    return leases.size === 0 && calls.running() === 0;
  }

  function updateLeases(): void {
    joint.update();
    const most = Math.max(1, ...Array.from(leases, ({ limits }) => limits.maxConcurrentCalls));
    gate.resize(most, new Set(Array.from(leases, ({ session }) => session)).size);
  }

  /** Resolves when the process has ended, unless others use it. */
  async function leave(lease: Lease, reason?: DownstreamFailure): Promise<void> {
    endLease(lease);
    leases.delete(lease);
    updateLeases();
    // Its calls are cancelled, but use the connection until each has ended. Those of a lease that was moved go on.
    if (lease.state === 'over') await calls.ended(lease);
    if (stage === 'over') return closed;
    // Close the connection when its last lease is released.
    if (isUnused()) await end(reason);
  }

  function leased(lease: Lease, connected: Downstream): Downstream {
    lease.state = 'held';
    return {
      ...connected,
      listTools: (signal) => listing.list(lease, signal),
      callTool: (name, args, options) => calls.run(lease, options, (inTurn) => connected.callTool(name, args, inTurn)),
      readResource: (uri, options) => calls.run(lease, options, (inTurn) => connected.readResource(uri, inTurn)),
      adjust(limits) {
        lease.limits = limits;
        updateLeases();
      },
      close: () => leave(lease),
    };
  }

  async function join(lease: Lease, signal: AbortSignal): Promise<Downstream | undefined> {
    leases.add(lease);
    updateLeases();
    if (program !== undefined) lease.listener.started(program);
    try {
      const connected = await orAborted(starting, signal);
      // oxlint-disable-next-line typescript/no-unnecessary-condition -- both change while this function waits
      if (stage === 'ready' && lease.state === 'wanted') return leased(lease, connected);
    } catch (error) {
      if (!signal.aborted) {
        leases.delete(lease);
        throw error;
      }
      throw new StartFailure(failureOf(signal), leave(lease, failureOf(signal)));
    }
    await leave(lease);
    return undefined;
  }

  const starting = start();
  const settled = starting.then(
    () => {},
    () => {},
  );
  return {
    ...{ server, leases, offer, owner, settled, closed, join },
    get stage() {
      return stage;
    },
    get isModern() {
      return downstream?.revision === modernRevision;
    },
    get isRetired() {
      return isRetired;
    },
    get program() {
      return program;
    },
  };
}
