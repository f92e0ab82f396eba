import { Cancellation } from '../../jsonrpc/cancellation.js';
import type { Log } from '../../platform/log.js';
import type { Agent, Flow, Valve } from '../../workbench/ports/agent.js';
import type { Lease } from './lease.js';

/** The agents of all leases of a connection, as its one agent. */
export interface JointAgent {
  readonly agent: Agent;
  /** A lease was added or removed, or whom the server may ask has changed. */
  update(): void;
}

/**
 * `spokesman`: the agent that questions outside of calls go to, and whose changes of roots alone the server gets. `starter`: the
 * agent that the server is started for; what it is offered has to be known before. `hold`: a session reads nothing.
 */
export function createJointAgent(
  leases: ReadonlySet<Lease>,
  starter: Agent | undefined,
  spokesman: () => Agent | undefined,
  hold: (session: string, isOnHold: boolean) => void,
): JointAgent {
  const flow = createJointFlow(leases, hold);
  const roots = createRootsWatch(leases, spokesman);
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

/** Stops reading from the server when no session reads; those that do not while others do are put on hold. */
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

/**
 * Passes on that the roots of the spokesman have changed. As long as there is none, the server has not asked for anybody's: then it
 * gets the changes of all, because some servers ask only after one, and whose roots it is given is decided when it asks.
 */
function createRootsWatch(leases: ReadonlySet<Lease>, spokesman: () => Agent | undefined) {
  const listeners = new Set<() => void>();
  const watched = new Map<Agent, (() => void) | undefined>();

  function heard(): Set<Agent | undefined> {
    if (listeners.size === 0) return new Set();
    const only = spokesman();
    return new Set(only === undefined ? Array.from(leases, ({ agent }) => agent) : [only]);
  }

  function changed(): void {
    for (const listener of listeners) listener();
  }

  function update(): void {
    const agents = heard();
    for (const [agent, stop] of watched) {
      if (agents.has(agent)) continue;
      stop?.();
      watched.delete(agent);
    }
    for (const agent of agents) {
      if (agent !== undefined && !watched.has(agent)) watched.set(agent, agent.onRootsChanged?.(changed));
    }
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
