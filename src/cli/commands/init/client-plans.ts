import { type ClientFile, readClientFile } from '../../../clients/files/client-file.js';
import { isInstalled, userFileOf } from '../../../clients/files/client-places.js';
import type { OptionalCommit } from '../../../clients/journal/optional-commit.js';
import { isOurEntry } from '../../../clients/our-entry.js';
import { type ConfigText, variablesIn } from '../../../clients/served-servers.js';
import type { Client } from '../../../clients/table/client.js';
import { clients } from '../../../clients/table/clients.js';
import { isWorkbenchError } from '../../../contract/errors.js';
import type { Computer } from '../../../platform/computer.js';
import type { FoundServers } from '../../../setup/find-servers.js';
import type { SetupPlan } from '../../../setup/setup-plan.js';
import { clientNamed } from '../clients/client-target.js';
import type { Preview } from '../clients/connect-preview.js';
import { connectionPreview, ownName } from '../clients/connection-preview.js';
import { userLaunch } from '../clients/own-launch.js';

/** The clients that could be connected: this user has them, and their files can be read. */
export function connectable(found: FoundServers, computer: Computer): Client[] {
  const unreadable = new Set(found.unreadable.map(({ path }) => path));
  return clients.filter((client) => isInstalled(client, computer) && !unreadable.has(userFileOf(client, computer)));
}

/** Those of the option `--connect`: `all`, `none`, or names. */
export function clientsNamed(option: string, possible: readonly Client[]): readonly Client[] {
  if (option === 'all') return possible;
  if (option === 'none') return [];
  return [...new Set(option.split(',').map((name) => clientNamed(name.trim())))];
}

/** Whether a client starts servers itself. */
export function hasServers(client: Client, { sources }: FoundServers): boolean {
  return sources.some((source) => source.client === client && !source.isShared && source.entries.length > 0);
}

/** The clients that have nothing left to change, and the others. */
export interface SortedClients {
  readonly connected: readonly Client[];
  readonly open: readonly Client[];
}

export function sortClients(
  all: readonly Client[],
  setup: SetupPlan,
  config: ConfigText,
  computer: Computer,
): SortedClients {
  const isDone = (client: Client) => {
    const { plans, refused } = planClients({
      clients: [client],
      config,
      setup,
      computer,
      isBlind: false,
      refuse: () => {},
    });
    return plans.length + refused.length === 0;
  };
  const connected = all.filter(isDone);
  return { connected, open: all.filter((client) => !connected.includes(client)) };
}

/** The change of one client. */
export interface ClientPlan {
  /** As shown to the user, or as changed since. */
  preview: () => Preview;
  readonly commit: OptionalCommit;
}

export interface ClientPlans {
  readonly plans: readonly ClientPlan[];
  /** Clients that cannot be connected, and why. */
  readonly refused: readonly Refusal[];
}

export interface Refusal {
  readonly client: Client;
  readonly problem: string;
}

export interface ClientsWish {
  readonly clients: readonly Client[];
  /** As it will be. */
  readonly config: ConfigText;
  readonly setup: SetupPlan;
  readonly computer: Computer;
  /** Whether a file that has changed since is planned again. */
  readonly isBlind: boolean;
  readonly refuse: (refusal: Refusal) => void;
}

/** How the chosen clients would change. */
export function planClients(wish: ClientsWish): ClientPlans {
  const plans: ClientPlan[] = [];
  const refused: Refusal[] = [];
  for (const client of wish.clients) {
    try {
      const plan = planClient(client, wish);
      if (plan !== undefined) plans.push(plan);
    } catch (error) {
      if (!isWorkbenchError(error)) throw error;
      refused.push({ client, problem: error.message });
    }
  }
  return { plans, refused };
}

/** Undefined if there is nothing to change. */
function planClient(client: Client, { config, setup, computer, isBlind, refuse }: ClientsWish): ClientPlan | undefined {
  const path = userFileOf(client, computer);
  const read = () => readClientFile(client, path);
  const launch = userLaunch(config.path, variablesIn(config), computer);
  const previewOf = (file: ClientFile) =>
    connectionPreview(
      client,
      file,
      {
        name: ownName,
        entry: client.entry(launch),
        replaces: false,
        keeps: false,
        findServed: (entry) => (isOurEntry(entry.value) ? undefined : setup.servedBy(file, entry)),
      },
      computer,
    );
  const shown = read();
  let preview = previewOf(shown);
  if (preview.plan.edits.length === 0) return undefined;
  return {
    preview: () => preview,
    commit: {
      read,
      client: client.name,
      leave: (error) => refuse({ client, problem: error.message }),
      plan(now) {
        if (now.bytes.equals(shown.bytes)) return preview.plan;
        if (!isBlind) return undefined;
        preview = previewOf(now);
        return preview.plan;
      },
    },
  };
}
