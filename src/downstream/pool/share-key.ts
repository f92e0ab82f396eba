import type { ServerConfig, StdioTarget } from '../../config/config.js';
import { digest } from '../../config/resolve/entry-identity.js';
import { withoutClientDirectories } from '../../platform/search-path.js';
import type { Agent } from '../../workbench/ports/agent.js';
import { capabilitiesFor } from '../protocol/handshake.js';

/** Variables of a terminal or a desktop session that do not change what a server does. */
const noise = /^(?:TERM|SHELL|XDG_(?:SESSION|SEAT|VTNR|ACTIVATION|GREETER).*)$/;

/** What the processes of a session get from it. */
export interface SessionPlace {
  /** The id of the person or service that the session belongs to. */
  readonly principal: string;
  readonly environment: ReadonlyMap<string, string>;
  readonly cwd: string;
  /** Whether what is in the directory may be used; undefined if that makes no difference. */
  readonly isTrusted?: boolean | undefined;
}

/** What decides whether sessions may share a process, by name: settings, and variables as `$NAME`. */
export type ShareFacts = ReadonlyMap<string, unknown>;

/** Secrets count by themselves, because what is masked depends on them. */
export function shareFactsOf(
  server: ServerConfig,
  target: StdioTarget,
  { principal, environment, cwd, isTrusted }: SessionPlace,
): ShareFacts {
  const inherited = [...environment]
    .filter(([name]) => !noise.test(name))
    .map(([name, value]) => [name, name === 'PATH' ? withoutClientDirectories(value) : value] as const);
  return new Map<string, unknown>([
    ...[...inherited, ...target.env].map(([name, value]) => [`$${name}`, value] as const),
    ['principal', principal],
    ['command', target.command],
    ['args', target.args],
    ['resolve', target.resolve ?? true],
    ['version', server.pinned?.version],
    ['cwd', target.cwd ?? cwd],
    ['trusted', isTrusted],
    ['protocol', server.protocol],
    ['roots', server.roots],
    ['maxMessageBytes', server.limits.maxMessageBytes],
    ['secrets', [...new Set(server.secrets.map(({ value }) => value))].sort()],
  ]);
}

/**
 * Equal for entries whose processes do not differ: sessions with the same key may share one. A digest: there are
 * secrets among the facts.
 */
export function shareKeyOf({ toolbox, name }: ServerConfig, facts: ShareFacts): string {
  return digest([toolbox, name, facts]);
}

/** Of what a legacy server is offered in the handshake: it cannot be offered anything else later. */
export function offerOf(agent: Agent | undefined, { roots }: ServerConfig): string {
  return digest([capabilitiesFor(agent, { offersRoots: roots })]);
}
