import type { ServerConfig } from '../config/config.js';
import type { Observer, ServerEvent } from '../workbench/ports/observer.js';
import type { ServerStatus, SessionStatus, StatusEvent } from './protocol.js';

/** How a session stands, kept up to date by what its workbench reports. */
export interface SessionBoard extends Observer {
  status(): SessionStatus;
  /** From now on it serves another configuration. */
  serve(config: string | null): void;
}

export function createSessionBoard(
  { id, config: given, since }: Pick<SessionStatus, 'id' | 'config' | 'since'>,
  publish: (event: StatusEvent) => void,
): SessionBoard {
  const toolboxes = new Map<string, Map<string, ServerStatus>>();
  let client: SessionStatus['client'] = null;
  let config = given;

  function update(toolbox: string, server: string, change: (known: ServerStatus | undefined) => ServerStatus): void {
    const servers = toolboxes.get(toolbox) ?? new Map<string, ServerStatus>();
    toolboxes.set(toolbox, servers);
    servers.set(server, change(servers.get(server)));
  }

  function onServer({ toolbox, name }: ServerConfig, event: ServerEvent): void {
    update(toolbox, name, (known) => {
      const counts = { calls: known?.calls ?? 0, errors: known?.errors ?? 0 };
      const status = { toolbox, server: name, ...counts, since: event.at, ...stateAfter(event) };
      publish({ is: 'server', session: id, server: status });
      return status;
    });
  }

  return {
    server: onServer,
    opened({ client: by, ...event }) {
      client = by ?? client;
      publish({ is: 'opened', session: id, ...event });
    },
    called({ client: by, ...event }) {
      client = by ?? client;
      const isFault = event.outcome === 'error' || event.outcome === 'failed';
      // Only servers that were started are called.
      update(event.toolbox, event.server, (known) => ({
        ...(known ?? { toolbox: event.toolbox, server: event.server, state: 'starting', since: event.at }),
        calls: (known?.calls ?? 0) + 1,
        errors: (known?.errors ?? 0) + (isFault ? 1 : 0),
      }));
      publish({ is: 'called', session: id, ...event });
    },
    refused({ client: by, ...event }) {
      client = by ?? client;
      publish({ is: 'refused', session: id, ...event });
    },
    serve(next) {
      config = next;
    },
    status: () => ({
      ...{ id, client, config, since },
      servers: [...toolboxes.values()].flatMap((servers) => [...servers.values()]),
    }),
  };
}

function stateAfter(event: ServerEvent): Omit<ServerStatus, 'toolbox' | 'server' | 'calls' | 'errors' | 'since'> {
  switch (event.is) {
    case 'ready': {
      const { startMs, pid, revision, software, tools } = event;
      const known = { ...(pid && { pid }), ...(revision && { revision }), ...(software && { software }) };
      return { state: 'awake', startMs, tools, ...known };
    }
    case 'failed':
    case 'ended':
      // A start is cancelled when the session ends.
      return event.kind === 'cancelled'
        ? { state: 'stopped' }
        : { state: 'failed', kind: event.kind, reason: event.reason };
    default:
      return { state: event.is };
  }
}
