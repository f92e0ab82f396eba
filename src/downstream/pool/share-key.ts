import { delimiter } from 'node:path';
import type { ServerConfig, StdioTarget } from '../../config/config.js';
import { digest } from '../../config/entry-identity.js';
import type { Agent } from '../../workbench/ports/agent.js';
import { capabilitiesFor } from '../protocol/handshake.js';

/** Variables of a terminal or a desktop session that do not change what a server does. */
const noise = /^(?:TERM|SHELL|XDG_(?:SESSION|SEAT|VTNR|ACTIVATION|GREETER).*)$/;

/** Codex puts these before PATH for programs of its own; the second has another name in each of its processes. */
const directoryOfClient = /[\\/](?:codex-path|codex-arg0[^\\/]*)[\\/]?$/;

/** What the processes of a session get from it. */
export interface SessionPlace {
  readonly environment: ReadonlyMap<string, string>;
  readonly cwd: string;
}

/**
 * Equal for entries whose processes cannot be told apart: sessions with the same key may share one. Secrets count by
 * themselves, because what is masked depends on them. A digest: there are secrets among the facts.
 */
export function shareKeyOf(server: ServerConfig, target: StdioTarget, { environment, cwd }: SessionPlace): string {
  const inherited = [...environment]
    .filter(([name]) => !noise.test(name))
    .map(([name, value]) => [name, name === 'PATH' ? withoutNoise(value) : value] as const);
  return digest([
    ...[server.toolbox, server.name, server.protocol, server.roots, server.limits.maxMessageBytes],
    ...[target.command, target.args, target.cwd ?? cwd, new Map([...inherited, ...target.env])],
    [...new Set(server.secrets.map(({ value }) => value))].sort(),
  ]);
}

function withoutNoise(path: string): string {
  const directories = path.split(delimiter);
  return directories.filter((directory) => !directoryOfClient.test(directory)).join(delimiter);
}

/** Of what a legacy server is offered in the handshake: it cannot be offered anything else later. */
export function offerOf(agent: Agent | undefined, { roots }: ServerConfig): string {
  return digest([capabilitiesFor(agent, { offersRoots: roots })]);
}
