import { existsSync } from 'node:fs';
import type { Computer } from '../../platform/computer.js';
import type { Client } from '../table/client.js';

/** The user's own file of a client. */
export function userFileOf(client: Client, computer: Computer): string {
  const candidates = client.files(computer);
  return candidates.find((file) => existsSync(file)) ?? candidates[0] ?? '';
}

/** Whether the client has been used by this user: it has left a file or a directory. */
export function isInstalled(client: Client, computer: Computer): boolean {
  return [...client.files(computer), ...client.signs(computer)].some((file) => existsSync(file));
}
