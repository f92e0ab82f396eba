import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../../../session/principal.js';

/** What of a request names its sender. Nothing else of a request does. */
export interface Credentials {
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly url: string | undefined;
}

/** Why a request is refused. */
export interface Unidentified {
  readonly status: 401 | 403;
  /** The value of WWW-Authenticate; undefined: no such header. */
  readonly challenge: string | undefined;
  /** A short code for logs and metrics: one of a few, never a value of the request. */
  readonly why: string;
}

export type Identified = { readonly principal: Principal } | { readonly refused: Unidentified };

/** Without a promise where the token is known already. */
export type Identify = (credentials: Credentials) => Identified | Promise<Identified>;

/** Who sends requests: the one person who has the token, or whoever the token of an issuer names. */
export interface Identifier {
  readonly identify: Identify;
  /** Whether requests can be verified. */
  readonly isReady: () => boolean;
  /** The document of RFC 9728; undefined: there is none. */
  readonly metadata: object | undefined;
  close(): void;
}
