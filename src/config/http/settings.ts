import type { NamedValue } from '../config.js';
import type { ListenAddress } from './addresses.js';

/** The block `http`, resolved: how one process serves agents over HTTP, and to whom. Immutable. */
export interface HttpSettings {
  readonly listen: ListenAddress;
  /** Whether only this computer is served: it listens on loopback, and `url` does not say otherwise. */
  readonly isLoopback: boolean;
  /** As clients see it, and as it is written: `audience` and metadata are compared with it. */
  readonly url: string | undefined;
  /** Of the endpoint. */
  readonly path: string;
  /** Undefined: one person, with a token of the service. */
  readonly auth: HttpAuth | undefined;
  /** As browsers send them. */
  readonly origins: readonly string[];
  readonly limits: HttpLimits;
  /** Values that may be secrets because of where they come from: for masks. */
  readonly secrets: readonly NamedValue[];
}

/** Who may call. */
export interface HttpAuth {
  /** As tokens name it. */
  readonly issuer: string;
  readonly audience: string;
  readonly algorithms: readonly string[];
  /** Every token needs all of them. */
  readonly scopes: readonly string[];
  /** Claims that every token needs, each with one of these values. */
  readonly require: ReadonlyMap<string, readonly string[]>;
  /** Claims that entries may name. */
  readonly claims: readonly string[];
  /** Undefined: nobody can log in at remote servers. */
  readonly login: { readonly clientId: string; readonly clientSecret: string | undefined } | undefined;
}

export interface HttpLimits {
  readonly requestsPerSecond: number;
  readonly inFlight: number;
  readonly processesPerUser: number;
  readonly processes: number;
}
