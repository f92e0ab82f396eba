import { Cancellation } from '../../jsonrpc/cancellation.js';
import type { Log } from '../../platform/log.js';
import type { Agent, Flow, Valve } from '../../workbench/ports/agent.js';
import type { Lease } from './lease.js';

/** The agents of all leases of a connection, as its one agent. */
export interface JointAgent {
  readonly agent: Agent;
  /** A lease was added or removed. */
  update(): void;
}

/**
 * `spokesman`: the agent of the only session, if there may be only one: requests for roots outside of calls go to it. `starter`: the
 * agent that the server is started for; what it is offered has to be known before. `hold`: a session reads nothing.
 */
export function createJointAgent(
  leases: ReadonlySet<Lease>,
  starter: Agent | undefined,
  spokesman: () => Agent | undefined,
  hold: (session: string, isOnHold: boolean) => void,
): JointAgent {
  const flow = createJointFlow(leases, hold);
  const roots = createRootsWatch(spokesman);
  const never = new Cancellation();
  return {
    agent: {
      get id() {
        return (spokesman() ?? starter)?.id ?? '';
      },
      client: starter?.client,
      capabilities: starter?.capabilities ?? {},
      async ask(question, signal) {
        const asked = spokesman();
        if (asked === undefined) throw new Error('No client can be asked');
        return asked.ask(question, signal);
      },
      get gone() {
        return spokesman()?.gone ?? never;
      },
      onRootsChanged: roots.watch,
      flow,
    },
    update() {
      flow.update();
      roots.update();
    },
  };
}

/** Stops reading from the server when no session reads; a session that does not while others do is put on hold. */
function createJointFlow(
  leases: ReadonlySet<Lease>,
  hold: (session: string, isOnHold: boolean) => void,
): Flow & { update(): void } {
  const unwatch = new Map<Lease, () => void>();
  const blocked = new Set<Lease>();
  const valves = new Set<Valve>();
  let isPaused = false;

  function check(): void {
    const pauses = leases.size > 0 && [...leases].every((lease) => blocked.has(lease));
    if (pauses === isPaused) return;
    isPaused = pauses;
    for (const valve of valves) {
      if (pauses) valve.pause();
      else valve.resume();
    }
  }

  function set(lease: Lease, isBlocked: boolean): void {
    if (isBlocked) blocked.add(lease);
    else blocked.delete(lease);
    hold(lease.session, isBlocked);
    check();
  }

  function add(lease: Lease): void {
    const watching = lease.agent?.flow?.watch({ pause: () => set(lease, true), resume: () => set(lease, false) });
    unwatch.set(lease, watching ?? (() => {}));
  }

  function remove(lease: Lease, stop: () => void): void {
    stop();
    unwatch.delete(lease);
    set(lease, false);
  }

  return {
    update() {
      for (const lease of leases) if (!unwatch.has(lease)) add(lease);
      for (const [lease, stop] of unwatch) if (!leases.has(lease)) remove(lease, stop);
      check();
    },
    watch(valve) {
      valves.add(valve);
      if (isPaused) valve.pause();
      return () => void valves.delete(valve);
    },
  };
}

/** Passes on that the roots of the spokesman have changed, whoever it is by then. */
function createRootsWatch(spokesman: () => Agent | undefined) {
  const listeners = new Set<() => void>();
  let watched: Agent | undefined;
  let unwatch: (() => void) | undefined;

  function changed(): void {
    for (const listener of listeners) listener();
  }

  function update(): void {
    const agent = listeners.size === 0 ? undefined : spokesman();
    if (agent === watched) return;
    unwatch?.();
    watched = agent;
    unwatch = agent?.onRootsChanged?.(changed);
  }

  return {
    update,
    watch: (listener: () => void) => {
      listeners.add(listener);
      update();
      return () => {
        listeners.delete(listener);
        update();
      };
    },
  };
}

/** Writes to the log of every session that has a lease, each once. */
export function jointLog(leases: ReadonlySet<Lease>): Log {
  const to = (level: keyof Log) => (message: string) => {
    for (const log of new Set(Array.from(leases, (lease) => lease.log))) log[level](message);
  };
  return { info: to('info'), warn: to('warn'), error: to('error') };
}
