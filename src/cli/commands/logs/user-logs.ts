import { readdirSync } from 'node:fs';
import type { Computer } from '../../../platform/computer.js';
import { userComputer, usersDirectory } from '../../../serve/http/user-place.js';
import { localUser } from '../../../session/principal.js';

const shownUsers = 10;

/** Where the logs of a user of the service over HTTP are. `wanted`: the key, or how it begins. A text says what is wrong. */
export function placeOfUser(wanted: string, computer: Computer): Computer | string {
  if (wanted === localUser.key) return computer;
  const users = usersIn(computer);
  const [found, second] = /^[\da-f]+$/.test(wanted) ? users.filter((key) => key.startsWith(wanted)) : [];
  if (found === undefined) return `No user '${wanted}' has logs here. ${knownText(users)}`;
  if (second !== undefined) return `More than one user begins with '${wanted}': write more of the key.`;
  return userComputer(computer, found);
}

function usersIn(computer: Computer): string[] {
  try {
    return readdirSync(usersDirectory(computer)).filter((name) => /^[\da-f]{32}$/.test(name));
  } catch {
    return [];
  }
}

function knownText(users: readonly string[]): string {
  if (users.length === 0) return 'There is none yet.';
  const more = users.length > shownUsers ? `, and ${users.length - shownUsers} more` : '';
  const some = users.slice(0, shownUsers).map((key) => key.slice(0, 8));
  return `There are: ${some.join(', ')}${more}`;
}
