import type { ServerStatus, SessionStatus, StatusEvent } from './protocol.js';

/** The state of a session, kept up to date by its events, in the process that publishes them and in its readers. */
export interface SessionBoard {
  status(): SessionStatus;
  /** Undefined if the server was not started, or its entry is gone. */
  server(toolbox: string, server: string): ServerStatus | undefined;
  /** An event of this session. */
  apply(event: StatusEvent): void;
  /** No event says that these change. */
  client: SessionStatus['client'];
  config: SessionStatus['config'];
}

/** Counted in place: calls end often. */
type Counted = Omit<ServerStatus, 'calls' | 'errors'> & { calls: number; errors: number };

export function createSessionBoard({
  id,
  client,
  config,
  servers,
  calls: first,
  ...about
}: SessionStatus): SessionBoard {
  const toolboxes = new Map<string, Map<string, Counted>>();
  let calls = first;
  for (const server of servers) put(server);

  function put(status: ServerStatus): void {
    const known = toolboxes.get(status.toolbox) ?? new Map<string, Counted>();
    // Its entry is gone or has changed, or the session is over: what is known about it no longer holds.
    if (status.state === 'stopped') known.delete(status.server);
    else known.set(status.server, { ...status });
    if (known.size === 0) toolboxes.delete(status.toolbox);
    else toolboxes.set(status.toolbox, known);
  }

  const board: SessionBoard = {
    client,
    config,
    status: () => ({
      ...{ id, client: board.client, config: board.config, ...about },
      servers: [...toolboxes.values()].flatMap((known) => [...known.values()]),
      calls,
    }),
    server: (toolbox, server) => toolboxes.get(toolbox)?.get(server),
    apply(event) {
      if (event.is === 'server') put(event.server);
      if (event.is === 'running') calls = event.calls;
      if (event.is !== 'called' || event.server === undefined) return;
      // Only servers that were started are called.
      const known = toolboxes.get(event.toolbox)?.get(event.server);
      if (known === undefined) return;
      known.calls++;
      if (event.outcome === 'error' || event.outcome === 'failed') known.errors++;
    },
  };
  return board;
}
