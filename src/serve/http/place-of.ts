import type { Configuration } from '../../config/read/configuration.js';
import type { Computer } from '../../platform/computer.js';
import type { Log } from '../../platform/log.js';
import type { Principal } from '../../session/principal.js';
import type { UserPlace } from './sessions/service.js';
import { userComputer } from './user-place.js';

/** Whose servers a principal has: the one person's are those of this computer, everybody else has a home of their own. */
export function placeOf({ key, identity }: Principal, computer: Computer, log: Log): UserPlace {
  if (identity === undefined) return { computer, log };
  const name = key.slice(0, shownDigits);
  const to = (level: keyof Log) => (message: string) => log[level](`user ${name}: ${message}`);
  return { computer: userComputer(computer, key), log: { info: to('info'), warn: to('warn'), error: to('error') } };
}

/** Enough to tell users apart in a log. */
const shownDigits = 8;

/** A configuration as it is for a principal: entries may name the user, and relative paths lead into their directory. */
export function viewFor(
  { key, identity }: Principal,
  { computer }: UserPlace,
  configuration: Configuration,
): Configuration {
  return identity === undefined
    ? configuration
    : configuration.forUser({ key, directory: computer.home, ...identity }, computer);
}
