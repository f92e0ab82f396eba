import type { ServerState } from './server-states.js';

/** The tools of servers that are in use, as far as they are known. Disabled ones cost nothing. */
export interface TokenTotals {
  readonly tools: number;
  readonly tokens: number;
  /** Whether the tools of all of them are known. */
  readonly isWhole: boolean;
}

export function tokenTotals(servers: readonly Pick<ServerState, 'state' | 'known'>[]): TokenTotals {
  const used = servers.filter(({ state }) => state !== 'disabled');
  const known = used.flatMap((server) => server.known ?? []);
  return {
    tools: known.reduce((sum, { tools }) => sum + tools.length, 0),
    tokens: known.reduce((sum, { tokens }) => sum + tokens, 0),
    isWhole: known.length === used.length,
  };
}
