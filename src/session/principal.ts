/** The person or service that a session belongs to. */
export interface Principal {
  /** `local`, or 32 hex digits made of issuer and subject. It names directories and keeps servers of different principals apart. */
  readonly key: string;
  /** Undefined for the user of this computer. */
  readonly identity?: Identity;
}

/** What a verified token states about its bearer. The token itself is not part of it. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** When the token was issued, in seconds since 1970; 0 if it does not say. Of two tokens, the claims of the newer one count. */
  readonly issuedAt: number;
  /** Only the ones that the configuration lists, as the token has them. */
  readonly claims: ReadonlyMap<string, unknown>;
}

/** Of every session on stdio, and of the one person who has the token of this service: the user of this computer. */
export const localUser: Principal = { key: 'local' };
