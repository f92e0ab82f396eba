import { build } from '../platform/build.js';
import { sha256 } from '../platform/crypto.js';
import { version } from '../platform/version.js';
import { wireNumber } from '../status/protocol.js';
import { ambientAuthority } from './authority.js';

/**
 * The socket of the one host that this process may use: of the same build of the workbench, and with the same rights. Nothing of it comes
 * from the environment, which clients clear.
 */
export function hostSocketName(ofBuild = build): string {
  const identity = sha256(JSON.stringify([wireNumber, version, ofBuild, ambientAuthority()]));
  return `host-${identity.slice(0, 16)}.sock`;
}

/** The name at which a host listens before, and as long as, it has the shared one. It says which process it is. */
export function ownSocketName(shared: string, pid: number): string {
  return shared.replace(/\.sock$/, `-${pid}.sock`);
}
