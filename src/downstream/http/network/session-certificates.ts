import path from 'node:path';
import type { Computer } from '../../../platform/computer.js';

const variable = 'NODE_EXTRA_CA_CERTS';

/**
 * The file of certificates that a session names. Undefined if this process has the same variable: Node.js has read it then. In a
 * host it has not, because sessions differ in it.
 */
export function sessionCertificates(
  { env, cwd }: Pick<Computer, 'env' | 'cwd'>,
  own: Computer['env'],
): string | undefined {
  const named = env[variable];
  return named && named !== own[variable] ? path.resolve(cwd, named) : undefined;
}
