/** A published package that a server is started from. */
export interface PackageVersion {
  readonly name: string;
  readonly version: string;
  /** The digest of its archive, as the registry gave it. */
  readonly integrity?: string | undefined;
  /** When npm was asked for it, in ms since 1970. */
  readonly at?: number | undefined;
}
