import { type QuickConnection, quickConnections } from '../../clients/quick-connections.js';
import { endpointUrl } from '../../config/http/endpoint-url.js';
import type { ConfigFile } from '../../config/schema/schema.js';
import type { Computer } from '../../platform/computer.js';
import type { Output } from '../frame/screen/output.js';
import { noBreak, unbroken, wrapped } from '../frame/screen/wrapped.js';

/** The clients of this user on one line: which of them are connected. */
export interface ClientSummary {
  readonly facts: readonly { readonly client: string; readonly state: string }[];
  readonly line: string | undefined;
  /** The first one that is not connected. */
  readonly unconnected: string | undefined;
}

/** `http`: the block of the configuration in use. */
export function summarizeClients(computer: Computer, output: Output, http?: ConfigFile['http']): ClientSummary {
  const all = quickConnections(computer, endpointUrl(http, computer.env));
  // What belongs to one client stays on one line.
  const words = all.map((one) => unbroken(wordsOf(one, output)));
  return {
    facts: all.map(({ client, state }) => ({ client: client.name, state })),
    line:
      all.length === 0
        ? undefined
        : wrapped(`Clients   ${words.join('   ')}`, output.width, 2, indent).replaceAll(noBreak, ' '),
    unconnected: all.find(({ state }) => state === 'unconnected')?.client.name,
  };
}

const indent = 12;

function wordsOf({ client: { title }, state }: QuickConnection, output: Output): string {
  if (state === 'connected') return `${title} ${output.mark('well')}`;
  if (state === 'unconnected') return `${title} ${output.signs.dash} not connected`;
  return `${title} ${output.mark('warning')} cannot be read (mcp-workbench connect says why)`;
}
