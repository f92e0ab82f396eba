import { sha256 } from '../platform/crypto.js';
import type { ServerTarget } from './config.js';

/**
 * Names what is kept about a server by how it is reached: another command, argument or variable is another server.
 * A digest, not the values: they may be secrets.
 */
export function digestOf(target: ServerTarget): string {
  const facts =
    target.kind === 'stdio'
      ? [target.command, target.args, inOrder(target.env), target.cwd]
      : target.kind === 'remote'
        ? [target.url, inOrder(target.headers)]
        : [];
  return sha256(JSON.stringify([target.kind, facts]));
}

function inOrder(entries: ReadonlyMap<string, string>): [string, string][] {
  return [...entries].sort(([one], [other]) => (one < other ? -1 : 1));
}
