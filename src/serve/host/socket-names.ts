import { hostname } from 'node:os';
import { build } from '../../platform/build.js';
import { sha256 } from '../../platform/crypto.js';
import { hostName } from '../../platform/sockets/socket-names.js';
import { wireNumber } from '../../platform/sockets/wire-number.js';
import { version } from '../../platform/version.js';
import { ambientAuthority } from './authority.js';

/** The names of the sockets of the one host that this process may use. */
export interface HostNames {
  /** At which sessions look for it. */
  readonly shared: string;
  /** At which a process listens before, and as long as, it has the shared one. */
  own(pid: number): string;
}

/**
 * The host is of the same build of the workbench and has the same rights. `name`: the value of `--host-name`, for a host apart from
 * the common one. Nothing of these names comes from the environment, which clients clear.
 */
export function hostNames(name = '', ofBuild = build): HostNames {
  const computer = sha256(hostname());
  const identity = sha256(JSON.stringify([wireNumber, version, ofBuild, name, ambientAuthority()]));
  return {
    shared: hostName(computer, ofBuild, identity),
    own: (pid) => hostName(computer, ofBuild, identity, pid),
  };
}
