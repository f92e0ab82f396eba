import { messageOf } from '../../../contract/errors.js';
import { isSameToken } from '../../../platform/token.js';
import { localUser } from '../../../session/principal.js';
import { bearerOf } from './bearer.js';
import type { Identified, Identifier } from './identify.js';
import { tokenRereadMs } from './limits.js';

export interface PersonOptions {
  /** The token at the start. */
  readonly token: string;
  /** The token as it is now: another one after a command has replaced it. */
  readonly reread: () => string | undefined;
  readonly warn: (message: string) => void;
  /** In ms since 1970. */
  readonly now?: () => number;
}

const known: Identified = { principal: localUser };
const wrong = refused('token-wrong', 'Bearer error="invalid_token"');

/** One person, who has the token. */
export function createPersonIdentity({ token: first, reread, warn, now = Date.now }: PersonOptions): Identifier {
  let token = first;
  let readAt = now();
  let problem: string | undefined;

  /** Before every request, so that a token that was replaced counts no longer even if nobody uses the new one. */
  function readNews(): void {
    const age = now() - readAt;
    if (age >= 0 && age < tokenRereadMs) return;
    readAt = now();
    const found = tryRead();
    // A file that is gone or unusable says nothing about the token that clients have.
    if (found.token !== undefined) token = found.token;
    if (found.problem !== undefined && found.problem !== problem) {
      warn(`${found.problem} Until then the token that was read before stays valid.`);
    }
    problem = found.problem;
  }

  function tryRead(): { readonly token?: string; readonly problem?: string } {
    try {
      const found = reread();
      return found === undefined
        ? { problem: 'The file with the token of the HTTP service is gone; the next start makes another one.' }
        : { token: found };
    } catch (error) {
      return { problem: messageOf(error) };
    }
  }

  return {
    identify(credentials) {
      const bearer = bearerOf(credentials);
      if ('problem' in bearer) return refused(bearer.problem, 'Bearer');
      readNews();
      return isSameToken(bearer.token, token) ? known : wrong;
    },
    isReady: () => true,
    metadata: undefined,
    close: () => {},
  };
}

function refused(why: string, challenge: string): Identified {
  return { refused: { status: 401, challenge, why } };
}
