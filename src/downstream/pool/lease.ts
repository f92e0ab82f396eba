import type { ServerLimits } from '../../config/config.js';
import { type DownstreamFailure, failureOf, NotSent } from '../../contract/downstream-failure.js';
import { Cancellation } from '../../jsonrpc/cancellation.js';
import { afterwards, begin } from '../../jsonrpc/reply.js';
import type { Log } from '../../platform/log.js';
import type { Agent } from '../../workbench/ports/agent.js';
import type { CallOptions, DownstreamListener } from '../../workbench/ports/downstream.js';
import { closedByUs } from '../protocol/failures.js';
import type { FairGate } from './fair-gate.js';

/** One session's use of a connection. */
export interface Lease {
  /** Of the session. */
  readonly session: string;
  readonly listener: DownstreamListener;
  /** The one whose call caused it. */
  readonly agent: Agent | undefined;
  /** Gets what is to be said about the server. */
  readonly log: Log;
  limits: ServerLimits;
  /** `wanted`: the connection is not there yet. `moved`: its sessions have to leave it. */
  state: 'wanted' | 'held' | 'moved' | 'over';
  /** Its calls in flight, and the ones that wait for their turn. */
  readonly calls: Set<Cancellation>;
  /** Only the waiting ones. */
  readonly queued: Set<Cancellation>;
}

export function newLease(facts: Pick<Lease, 'session' | 'listener' | 'agent' | 'log' | 'limits'>): Lease {
  return { ...facts, state: 'wanted', calls: new Set(), queued: new Set() };
}

/** Runs one call of a lease, in its turn. It is cancelled if the lease ends, but not if it is moved. `ended`: it no longer uses the connection. */
export function runCall<T>(
  lease: Lease,
  gate: FairGate,
  options: CallOptions,
  call: (options: CallOptions) => PromiseLike<T>,
  ended: () => void,
): PromiseLike<T> {
  const { signal: given } = options;
  const signal = new Cancellation();
  const cancel = () => signal.cancel(given?.reason);
  let hasTurn = false;

  function run(): PromiseLike<T> {
    hasTurn = true;
    // It may have been moved while the call waited for its turn.
    refuseIfOver(lease);
    return call(leasedOptions(options, signal, lease.limits));
  }

  function start(): PromiseLike<T> {
    if (given?.aborted === true) throw failureOf(given);
    refuseIfOver(lease);
    const turn = gate.enter(lease.session, signal);
    return turn === undefined ? run() : inQueue(lease, signal, turn).then(run);
  }

  given?.addEventListener('abort', cancel, { once: true });
  lease.calls.add(signal);
  return afterwards(begin(start), () => {
    if (hasTurn) gate.leave(lease.session);
    lease.calls.delete(signal);
    given?.removeEventListener('abort', cancel);
    ended();
  });
}

/** All of them, written out: this is done for every call, and V8 has no quick way for a spread whose keys are then replaced. */
function leasedOptions(
  { onProgress, agent, meta, budget, asTask, continuation }: CallOptions,
  signal: Cancellation,
  limits: ServerLimits,
): CallOptions {
  const all: { [Key in keyof Required<CallOptions>]: CallOptions[Key] } = {
    signal,
    onProgress,
    agent,
    meta,
    limits,
    budget,
    asTask,
    continuation,
  };
  return all;
}

async function inQueue({ queued }: Lease, signal: Cancellation, turn: Promise<void>): Promise<void> {
  queued.add(signal);
  try {
    await turn;
  } finally {
    queued.delete(signal);
  }
}

/** The session has to leave the connection. What was sent is answered; what was not goes to another one. */
export function moveLease(lease: Lease): void {
  const isHeld = lease.state === 'held';
  giveUp(lease, 'moved');
  if (isHeld) lease.listener.moved();
}

/** The connection has broken. What was sent has failed by itself; what was not goes to the next one. */
export function loseLease(lease: Lease, failure: DownstreamFailure): void {
  giveUp(lease, 'over');
  lease.listener.ended(failure);
}

/** The session needs the connection no longer. Calls of a lease that it had to give up go on. */
export function endLease(lease: Lease): void {
  if (lease.state === 'moved' || lease.state === 'over') return;
  lease.state = 'over';
  for (const call of lease.calls) call.cancel(closedByUs());
}

function giveUp(lease: Lease, state: 'moved' | 'over'): void {
  lease.state = state;
  for (const call of lease.queued) call.cancel(notSent());
}

function refuseIfOver({ state }: Lease): void {
  if (state !== 'held') throw notSent();
}

/** The call may go to another connection. */
function notSent(): NotSent {
  return new NotSent('lost', 'its connection ended before');
}
