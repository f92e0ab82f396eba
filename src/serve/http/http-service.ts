import type { HttpSettings } from '../../config/http/settings.js';
import type { Computer } from '../../platform/computer.js';
import type { Log } from '../../platform/log.js';
import type { LiveConfiguration } from '../../session/configuration/live-configuration.js';
import { createDrain } from './drain.js';
import { type Bounds, builtInBounds, drainCallsMs } from './exchange/limits.js';
import { createTicks } from './exchange/ticks.js';
import { createGuard } from './guard.js';
import type { Identifier } from './identity/identify.js';
import { createListener } from './listener.js';
import type { ServiceLogins } from './login/service-logins.js';
import type { Member } from './member.js';
import { metadataDocuments, serveDocument } from './metadata.js';
import { placeOf, viewFor } from './place-of.js';
import { answersOverHttp } from './sessions/introduction.js';
import { createLiveSessions } from './sessions/live-sessions.js';
import type { Service, ServiceEngine } from './sessions/service.js';
import { createSessionIds } from './sessions/session-ids.js';
import { createUsers } from './users.js';

export interface ServiceParts {
  readonly settings: HttpSettings;
  readonly computer: Computer;
  readonly live: LiveConfiguration;
  readonly identifier: Identifier;
  /** What ids of sessions are signed with. */
  readonly secret: Buffer;
  readonly engineOf: () => Promise<ServiceEngine>;
  readonly logins: Pick<ServiceLogins, 'serve'>;
  readonly log: Log;
  /** Other than the built-in ones. */
  readonly bounds?: Partial<Bounds> | undefined;
  /** What its clients see of a user, if that is not all as it is. */
  readonly seenAs?: (member: Member) => Member;
}

/** MCP over HTTP, for one person or for many. */
export interface HttpService {
  /** Returns the port. */
  listen(): Promise<number>;
  /** Takes nothing new, lets running calls end, and closes all sessions. Calling it again skips the waiting. */
  close(): Promise<void>;
}

const tickMs = 1_000;

export function createHttpService(parts: ServiceParts): HttpService {
  const { settings, computer, live, identifier, secret, engineOf, logins, log, seenAs = (member) => member } = parts;
  const ticks = createTicks(tickMs);
  const bounds = { ...builtInBounds, ...parts.bounds };
  let count = 0;
  const since = Date.now().toString(36);
  const service: Service = {
    limits: settings.limits,
    bounds,
    ticks,
    sessions: createLiveSessions(ticks, bounds),
    sessionIds: createSessionIds(secret),
    exchanges: new Set(),
    answersOf: answersOverHttp,
    placeOf: (principal) => placeOf(principal, computer, log),
    viewOf: (principal, place) => viewFor(principal, place, live.current),
    engine: engineOf,
    nextSessionId: () => `${process.pid}-${since}-${++count}`,
  };
  const users = createUsers(service);
  live.listener = { taken: () => users.apply(), noted: (text) => users.note(text) };
  const drain = createDrain(
    service.exchanges,
    log,
    settings.isLoopback ? { noticeMs: 0, callsMs: drainCallsMs } : undefined,
  );
  const documents = metadataDocuments(identifier.metadata, settings.path);
  const listener = createListener({
    guard: createGuard(settings),
    path: settings.path,
    identify: identifier.identify,
    memberOf: ({ principal }) => seenAs(users.of(principal)),
    others: (path, request, response) =>
      serveDocument(documents, path, request, response) || logins.serve(path, request, response),
    health(path) {
      if (path === '/livez') return 200;
      if (path !== '/readyz') return undefined;
      return identifier.isReady() && !drain.hasBegun ? 200 : 503;
    },
    isDraining: () => drain.isRefusing,
    bounds,
    log,
  });

  return {
    listen: () => listener.listen(settings.listen.host, settings.listen.port),
    async close() {
      await drain.run();
      listener.server.close();
      listener.server.closeIdleConnections();
      await service.sessions.close();
      listener.server.closeAllConnections();
      ticks.close();
    },
  };
}
