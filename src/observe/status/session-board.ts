import type { ServerConfig } from '../../config/config.js';
import type { Observer, ServerEvent } from '../../workbench/ports/observer.js';
import type { ServerStatus, SessionStatus, StatusEvent } from './protocol.js';

/** How a session stands, kept up to date by what its workbench reports. */
export interface SessionBoard extends Observer {
  status(): SessionStatus;
  /** From now on it serves another configuration. */
  serve(config: string | null): void;
}

/** Counted in place: calls end often. */
type Counted = Omit<ServerStatus, 'calls' | 'errors'> & { calls: number; errors: number };

export function createSessionBoard(
  { id, config: given, ...about }: Omit<SessionStatus, 'client' | 'servers'>,
  publish: (event: StatusEvent) => void,
): SessionBoard {
  const toolboxes = new Map<string, Map<string, Counted>>();
  let client: SessionStatus['client'] = null;
  let config = given;

  function onServer({ toolbox, name }: ServerConfig, event: ServerEvent): void {
    const servers = toolboxes.get(toolbox) ?? new Map<string, Counted>();
    toolboxes.set(toolbox, servers);
    const { calls = 0, errors = 0 } = servers.get(name) ?? {};
    const status = { toolbox, server: name, calls, errors, since: event.at, ...stateAfter(event) };
    // Its entry is gone or has changed: what is known about it no longer holds.
    if (status.state === 'stopped') forget(toolbox, servers, name);
    else servers.set(name, status);
    publish({ is: 'server', session: id, server: status });
  }

  function forget(toolbox: string, servers: Map<string, Counted>, name: string): void {
    servers.delete(name);
    if (servers.size === 0) toolboxes.delete(toolbox);
  }

  return {
    server: onServer,
    opened({ client: by, ...event }) {
      client = by ?? client;
      publish({ is: 'opened', session: id, ...event, client: client?.name });
    },
    called(event) {
      client = event.client ?? client;
      // Only servers that were started are called.
      const known = toolboxes.get(event.toolbox)?.get(event.server);
      if (known !== undefined) {
        known.calls++;
        if (event.outcome === 'error' || event.outcome === 'failed') known.errors++;
      }
      const { at, toolbox, server, tool, outcome, code, sent, received } = event;
      const ms = Math.round(event.ms * 100) / 100;
      const by = client?.name;
      publish({ is: 'called', session: id, at, toolbox, server, tool, ms, outcome, code, client: by, sent, received });
    },
    refused({ client: by, ...event }) {
      client = by ?? client;
      publish({ is: 'refused', session: id, ...event, client: client?.name });
    },
    serve(next) {
      config = next;
    },
    status: () => ({
      ...{ id, client, config, ...about },
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
    case 'moved':
      return { state: 'asleep' };
    default:
      return { state: event.is };
  }
}
