import { backlogWithoutReadingBytes } from '../limits.js';
import type { Flow, Valve } from '../workbench/ports/agent.js';
import type { AgentOutput } from './transport.js';

/** The flow of one agent. `check` is to be called after something was sent. */
export interface AgentFlow extends Flow {
  check(): void;
}

export function createFlow(output: AgentOutput): AgentFlow {
  const valves = new Set<Valve>();
  let isStopped = false;

  output.ondrain = () => {
    // More may have been sent since.
    if (!isStopped || output.unread > backlogWithoutReadingBytes) return;
    isStopped = false;
    for (const valve of valves) valve.resume();
  };

  return {
    check() {
      if (isStopped || output.unread <= backlogWithoutReadingBytes) return;
      isStopped = true;
      for (const valve of valves) valve.pause();
    },
    watch(valve) {
      valves.add(valve);
      if (isStopped) valve.pause();
      return () => void valves.delete(valve);
    },
  };
}
