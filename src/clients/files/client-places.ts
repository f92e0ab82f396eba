import { existsSync } from 'node:fs';
import { realPathOf } from '../../config/trust/trust-store.js';
import type { Computer } from '../../platform/computer.js';
import type { Client } from '../table/client.js';
import { clients } from '../table/clients.js';

/** The user's own file of a client. */
export function userFileOf(client: Client, computer: Computer): string {
  const candidates = client.files(computer);
  return candidates.find((file) => existsSync(file)) ?? candidates[0] ?? '';
}

/** Whether a file is one of the user's own, of any client: in the home directory, these lie where a project would have its file. */
export function isUserFile(file: string, computer: Computer): boolean {
  const real = realPathOf(file);
  return clients.some((client) => client.files(computer).some((one) => realPathOf(one) === real));
}

/** Whether the client has been used by this user: it has left a file or a directory. */
export function isInstalled(client: Client, computer: Computer): boolean {
  return [...client.files(computer), ...client.signs(computer)].some((file) => existsSync(file));
}
