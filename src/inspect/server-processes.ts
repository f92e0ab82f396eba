import type { ProcessStatus, ServerProcess } from '../observe/status/protocol.js';

/** The processes of servers: in a host as it reports them; of a session that runs its servers itself, the awake ones. */
export function serverProcesses({ host, sessions }: ProcessStatus): readonly ServerProcess[] {
  if (host !== undefined) return host.processes;
  return sessions.flatMap(({ id, servers }) =>
    servers
      .filter(({ state }) => state === 'awake' || state === 'starting')
      .map(({ toolbox, server, pid }) => ({ toolbox, server, pid, sessions: [id] })),
  );
}
