import type { Engine } from '../../../compose.js';
import type { ServerProcess } from '../../../observe/status/protocol.js';

type Pooled = ReturnType<Engine['processes']>[number];

/** What others may see of the processes of servers: of the facts only names. */
export function reportProcesses(processes: readonly Pooled[]): ServerProcess[] {
  return processes.map((one) => {
    const { toolbox, server, pid, log, sessions, reason } = one;
    const first = processes.find((other) => isShared(other) && other.toolbox === toolbox && other.server === server);
    const differsIn = first !== undefined && first !== one && isShared(one) ? differencesOf(first, one) : [];
    return { toolbox, server, pid, log, sessions, reason, ...(differsIn.length > 0 && { differsIn }) };
  });
}

function isShared({ reason }: Pooled): boolean {
  return reason === undefined;
}

function differencesOf(one: Pooled, other: Pooled): string[] {
  const names = [...new Set([...one.facts.keys(), ...other.facts.keys()])];
  const differing = names.filter(
    (name) => JSON.stringify(one.facts.get(name)) !== JSON.stringify(other.facts.get(name)),
  );
  return differing.length === 0 && one.offer !== other.offer ? ['capabilities of the client'] : differing;
}
