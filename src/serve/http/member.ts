import type { LiveConfiguration } from '../../session/configuration/live-configuration.js';
import type { Principal } from '../../session/principal.js';
import { createUnread } from './exchange/unread.js';
import { createLegacyClients, type LegacyClients } from './legacy/clients.js';
import { createModernClients, type ModernClients } from './modern/clients.js';
import { createQuota } from './sessions/quota.js';
import type { Service, User } from './sessions/service.js';

/** A user with its clients. */
export interface Member {
  readonly user: User;
  readonly modern: ModernClients;
  readonly legacy: LegacyClients;
  /** The configuration was edited. */
  apply(): void;
  /** A line for its agents about the configuration. */
  note(text: string | undefined): void;
  /** A token of it was verified: a newer one may have other claims. */
  refresh(principal: Principal): void;
  /** Whether nothing of it is open. */
  readonly isIdle: boolean;
}

export function createMember(service: Service, given: Principal): Member {
  const place = service.placeOf(given);
  let principal = given;
  const unread = createUnread(service.bounds.stalledAfterMs);
  const followers = new Set<LiveConfiguration>();
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
    follow(session) {
      followers.add(session);
      if (note !== undefined) session.setNote(note);
      return () => void followers.delete(session);
    },
  };
  const modern = createModernClients(user);
  const legacy = createLegacyClients(user);

  function apply(): void {
    view = service.viewOf(principal, place);
    for (const session of followers) session.take(view);
    modern.introduce(view);
  }

  return {
    ...{ user, modern, legacy, apply },
    note(text) {
      // Of others, the file of the operator is no business.
      if (principal.identity !== undefined) return;
      note = text;
      for (const session of followers) session.setNote(text);
    },
    refresh(next) {
      if (!isNewer(next, principal)) return;
      const isSame = claimsOf(next) === claimsOf(principal);
      principal = next;
      if (!isSame) apply();
    },
    get isIdle() {
      return followers.size === 0 && user.quota.inFlight === 0;
    },
  };
}

function isNewer({ identity }: Principal, { identity: known }: Principal): boolean {
  return identity !== undefined && identity !== known && identity.issuedAt > (known?.issuedAt ?? 0);
}

function claimsOf({ identity }: Principal): string {
  return JSON.stringify([...(identity?.claims ?? [])]);
}
