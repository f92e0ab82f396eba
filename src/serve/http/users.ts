import type { Principal } from '../../session/principal.js';
import { createMember, type Member } from './member.js';
import type { Service } from './sessions/service.js';

/** The principals that use the service at present. */
export interface Users {
  of(principal: Principal): Member;
  /** The configuration was edited. */
  apply(): void;
  /** A line for agents about the configuration. */
  note(text: string | undefined): void;
}

/** Users that have nothing open are forgotten when there are more. */
const mostIdle = 1_000;

export function createUsers(service: Service): Users {
  const users = new Map<string, Member>();
  return {
    of(principal) {
      const known = users.get(principal.key);
      if (known !== undefined) {
        // A renewed token may have other claims.
        known.refresh(principal);
        return known;
      }
      if (users.size >= mostIdle) for (const [key, user] of users) if (user.isIdle) users.delete(key);
      const user = createMember(service, principal);
      users.set(principal.key, user);
      return user;
    },
    apply() {
      for (const user of users.values()) user.apply();
    },
    note(text) {
      for (const user of users.values()) user.note(text);
    },
  };
}
