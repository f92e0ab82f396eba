import type { RemoteTarget, ServerLimits } from '../../config/config.js';
import { DownstreamFailure, NotSent } from '../../contract/downstream-failure.js';
import { loadPart } from '../../platform/load-part.js';
import { closedByUs, RefusedRequest } from '../protocol/failures.js';
import type { Journal } from '../protocol/journal.js';
import type { Wire } from '../protocol/wire.js';
import type { LoginAccess } from './authorized-network.js';
import type { HttpProblem } from './problems.js';

/** Which transport a remote server has, as found in earlier runs. */
export interface TransportRecord {
  isSse(): boolean;
  set(transport: 'http' | 'sse'): void;
}

/** How this computer reaches remote servers. */
export interface RemoteAccess {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly certificates: string | undefined;
  readonly logins: LoginAccess | undefined;
}

/** MCP over HTTP, as a wire. The code that speaks it is a part of its own: most users have local servers only. */
export async function openHttpWire(
  target: RemoteTarget,
  { maxMessageBytes }: ServerLimits,
  record: TransportRecord,
  { mask }: Journal,
  { env, certificates, logins }: RemoteAccess,
): Promise<Wire> {
  const { createHttpWire, createArgumentMirror, shownUrl } = await loadPart(() => import('./wire.js'));
  const isKnownAsSse = target.transport === 'auto' && record.isSse();
  const http = createHttpWire({ target, maxMessageBytes, isKnownAsSse, network: { env, certificates }, logins });
  let failure: DownstreamFailure | undefined;
  let isOver = false;

  /** Texts of the server are in it. */
  function failureFrom({ kind, message, isUnsent, status, retryAfterMs, login }: HttpProblem): DownstreamFailure {
    const details = { retryAfterMs, login };
    const text = mask(message);
    if (isUnsent === true) return new NotSent(kind, text, details);
    return status === undefined ? new DownstreamFailure(kind, text, details) : new RefusedRequest(kind, text, details);
  }

  return {
    createMirror: createArgumentMirror,
    ...(target.transport === 'sse' || isKnownAsSse ? {} : { answersEach: true }),

    start(sink) {
      http.start({
        line: (bytes) => sink.line(bytes),
        maxBytes: () => sink.maxBytes(),
        keepsStart: () => sink.keepsStart(),
        ignored: (text) => sink.ignored(text),
        isPending: (id) => sink.isPending(id),
        connectedBy: (transport) => record.set(transport),
        lost: (bytes, message, problem) => sink.lost(bytes, message, problem && failureFrom(problem)),
        unanswered: (id, problem) => sink.unanswered(id, failureFrom(problem)),
        ended(problem) {
          isOver = true;
          failure = problem && failureFrom(problem);
          sink.ended(failure);
        },
      });
    },

    send(message, headers = []) {
      if (isOver) throw failure ?? closedByUs();
      http.send(message, headers);
    },

    setRevision: (revision) => http.setRevision(revision),
    pause: () => http.pause(),
    resume: () => http.resume(),
    lastWords: async () => mask(`no MCP response from ${shownUrl(new URL(target.url))} yet`),
    close: () => http.close(),
  };
}
