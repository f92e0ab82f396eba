import type { CallOptions } from '../../workbench/ports/downstream.js';
import type { FairGate } from './fair-gate.js';
import { type Lease, runCall } from './lease.js';

/** The calls of all leases of a connection. */
export interface LeasedCalls {
  run<T>(lease: Lease, options: CallOptions, call: (options: CallOptions) => PromiseLike<T>): PromiseLike<T>;
  /** How many use the connection. */
  running(): number;
  /** Resolves when none of the lease does. */
  ended(lease: Lease): Promise<void>;
}

/** `onEnd`: one of them has ended. */
export function createLeasedCalls(gate: FairGate, onEnd: () => void): LeasedCalls {
  let running = 0;
  const leaving = new Map<Lease, () => void>();

  function ended(): void {
    running--;
    onEnd();
    for (const [lease, left] of leaving) if (lease.calls.size === 0 && leaving.delete(lease)) left();
  }

  return {
    run(lease, options, call) {
      running++;
      return runCall(lease, gate, options, call, ended);
    },
    running: () => running,
    async ended(lease) {
      if (lease.calls.size > 0) await new Promise<void>((resolve) => void leaving.set(lease, resolve));
    },
  };
}
