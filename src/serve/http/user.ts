import type { Configuration } from '../../config/read/configuration.js';
import type { Computer } from '../../platform/computer.js';
import type { Log } from '../../platform/log.js';
import type { LiveConfiguration } from '../../session/configuration/live-configuration.js';
import type { SessionLink } from '../../session/link.js';
import type { Principal } from '../../session/principal.js';
import type { AgentOutput } from '../../session/transport.js';
import type { ClientSession } from './client-session.js';
import { createLegacyClients, type LegacyClients } from './legacy/clients.js';
import { createModernClients, type ModernClients } from './modern/clients.js';
import { createQuota, type Quota } from './quota.js';
import type { Service } from './service.js';
import { createUnread, type Unread } from './unread.js';

/** A principal that uses this service: its clients, its limits, and the directories of its servers. */
export interface User {
  readonly service: Service;
  /** By its newest token. */
  readonly principal: Principal;
  /** Its servers get this environment and these directories. */
  readonly computer: Computer;
  readonly log: Log;
  readonly quota: Quota;
  readonly unread: Unread;
  readonly modern: ModernClients;
  readonly legacy: LegacyClients;
  /** The one in use, as it is for this user. */
  configuration(): Configuration;
  openLink(session: SessionName, configuration: LiveConfiguration, output: AgentOutput): Promise<SessionLink>;
  opened(session: ClientSession): void;
  closed(session: ClientSession): void;
  /** The configuration was edited. */
  apply(): void;
  /** A line for its agents about the configuration. */
  note(text: string | undefined): void;
  /** A token of it was verified: a newer one may have other claims. */
  refresh(principal: Principal): void;
  /** Whether nothing of it is open. */
  readonly isIdle: boolean;
}

/** What tells a session of a user from others. */
export interface SessionName {
  readonly id: string;
  /** The name that the client reports. */
  readonly client: string;
}

export function createUser(service: Service, given: Principal): User {
  const place = service.placeOf(given);
  let principal = given;
  const unread = createUnread(service.ticks);
  const sessions = new Set<ClientSession>();
  let view = service.viewOf(principal, place);
  let note: string | undefined;
  const user: User = {
    ...{ service, computer: place.computer, log: place.log, unread },
    get principal() {
      return principal;
    },
    quota: createQuota(service.limits, unread),
    configuration: () => view,
    async openLink(session, configuration, output) {
      const engine = await service.engine();
      const config = await configuration.current.load(engine.assemble);
      const link = engine.openLink(config, output, session, user);
      link.note(configuration.note);
      return link;
    },
    opened(session) {
      sessions.add(session);
      if (note !== undefined) session.configuration.setNote(note);
    },
    closed(session) {
      sessions.delete(session);
      user.modern.closed(session);
      user.legacy.closed(session);
    },
    apply() {
      view = service.viewOf(principal, place);
      for (const { configuration } of sessions) configuration.take(view);
      user.modern.introduce(view);
    },
    note(text) {
      // Of others, the file of the operator is no business.
      if (principal.identity !== undefined) return;
      note = text;
      for (const { configuration } of sessions) configuration.setNote(text);
    },
    refresh(next) {
      if (!isNewer(next, principal)) return;
      const isSame = claimsOf(next) === claimsOf(principal);
      principal = next;
      if (!isSame) user.apply();
    },
    get isIdle() {
      return sessions.size === 0 && user.quota.inFlight === 0;
    },
    get modern() {
      return modern;
    },
    get legacy() {
      return legacy;
    },
  };
  const modern = createModernClients(user);
  const legacy = createLegacyClients(user);
  return user;
}

function isNewer({ identity }: Principal, { identity: known }: Principal): boolean {
  return identity !== undefined && identity !== known && identity.issuedAt > (known?.issuedAt ?? 0);
}

function claimsOf({ identity }: Principal): string {
  return JSON.stringify([...(identity?.claims ?? [])]);
}
