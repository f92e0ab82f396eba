import type { CallEvent, OpenEvent, RefusedEvent, ServerEvent } from '../../workbench/ports/observer.js';
import type { SessionEvent } from '../events.js';
import type { ServerStatus, StatusEvent } from './protocol.js';
import type { SessionBoard } from './session-board.js';

/** An event during a session. */
export type OngoingEvent = Exclude<SessionEvent, { readonly is: 'began' | 'closed' | 'serves' }>;

/** What others see of an event of a session. */
export function statusEventOf(event: OngoingEvent, session: string, board: SessionBoard): StatusEvent {
  const { is, at } = event;
  switch (is) {
    case 'opened':
      return { is, session, at, toolbox: event.toolbox, ms: event.ms, client: clientOf(event, board) };
    case 'called': {
      const { call, toolbox, server, tool, outcome, code, reason, sent, received } = event;
      const ms = Math.round(event.ms * 100) / 100;
      const client = clientOf(event, board);
      return { is, session, at, toolbox, server, tool, ms, outcome, code, reason, client, sent, received, call };
    }
    case 'shown':
      return { is, session, call: event.call, chars: event.chars };
    case 'refused': {
      const { toolbox, server, tool, code, reason } = event;
      return { is, session, at, toolbox, server, tool, code, reason, client: clientOf(event, board) };
    }
    default: {
      const { toolbox, name: server } = event.server;
      const { calls = 0, errors = 0 } = board.server(toolbox, server) ?? {};
      return { is: 'server', session, server: { toolbox, server, calls, errors, since: at, ...stateAfter(event) } };
    }
  }
}

/** Not every request of a session says who its client is. */
function clientOf({ client }: OpenEvent | CallEvent | RefusedEvent, board: SessionBoard): string | undefined {
  board.client = client ?? board.client;
  return board.client?.name;
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
