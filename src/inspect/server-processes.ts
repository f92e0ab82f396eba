import type { ProcessStatus, ServerProcess } from '../observe/status/protocol.js';

/** The processes of servers: in a host or a service as it reports them; of a session that runs its servers itself, the awake ones. */
export function serverProcesses({ host, service, sessions }: ProcessStatus): readonly ServerProcess[] {
  const pool = host ?? service;
  if (pool !== undefined) return pool.processes;
  return sessions.flatMap(({ id, servers }) =>
    servers
      .filter(({ state }) => state === 'awake' || state === 'starting')
      .map(({ toolbox, server, pid }) => ({ toolbox, server, pid, sessions: [id] })),
  );
}
