/** A published package that a server is started from. */
export interface PackageVersion {
  readonly name: string;
  readonly version: string;
  /** The digest of its archive, as the registry gave it. */
  readonly integrity?: string | undefined;
  /** When npm was asked for it, in ms since 1970. */
  readonly at?: number | undefined;
}

/** Digests count where both are known: a version can be published again with another content. */
export function isSamePackage(one: PackageVersion | undefined, other: PackageVersion): boolean {
  const isSameContent = one?.integrity === undefined || (other.integrity ?? one.integrity) === one.integrity;
  return one?.name === other.name && one.version === other.version && isSameContent;
}
