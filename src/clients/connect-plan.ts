import { isDeepStrictEqual } from 'node:util';
import { WorkbenchError } from '../contract/errors.js';
import type { Edit } from './documents/document.js';
import { applyEdits } from './documents/open-document.js';
import { type ClientEntry, type ClientFile, inFile, serversIn } from './files/client-file.js';
import { urlOfEntry } from './http-entry.js';
import type { NewContent } from './journal/planned-file.js';
import { commandLineOf, isOurEntry } from './our-entry.js';
import type { Served } from './served-servers.js';
import type { Client } from './table/client.js';
import { questionEdits } from './token-question.js';

export interface ConnectWish {
  readonly name: string;
  readonly entry: object;
  /** The client asks its user for the token. */
  readonly asksForToken?: boolean;
  /** Whether an entry of that name that is not ours is overwritten. */
  readonly replaces: boolean;
  /** Nothing leaves the file. */
  readonly keeps: boolean;
  /** Finds the server of ours that is the same. */
  readonly findServed: (entry: ClientEntry) => Served | undefined;
  /** Whether the journal says that we wrote an entry. */
  readonly isRecorded: (value: unknown) => boolean;
}

/** What connecting changes in the file of a client. */
export interface ConnectPlan extends NewContent {
  /** The entry that ours takes the place of. */
  readonly replaced: ClientEntry | undefined;
  /** Ours is there already, as it should be. */
  readonly isThere: boolean;
  readonly leaving: readonly (ClientEntry & { readonly served: Served })[];
  /** With the reason for which each stays; `isImportable`: it could be added to the configuration. */
  readonly staying: readonly (ClientEntry & { readonly why: string; readonly isImportable: boolean })[];
}

/** Throws if the file has an entry of that name that is not ours, or cannot be edited safely. */
export function planConnect(client: Client, file: ClientFile, wish: ConnectWish): ConnectPlan {
  const { name, entry } = wish;
  const at = inFile(file.path, file.document.text, () => client.servers(file.document));
  const all = serversIn(client, file);
  const replaced = all.find((one) => one.name === name && isDeepStrictEqual(one.at, at));
  requireOurs(client, replaced, wish);
  const isThere = replaced !== undefined && isDeepStrictEqual(replaced.value, entry);
  const others = all
    .filter((one) => one !== replaced && !isOurEntry(one.value, urlOfEntry(entry)))
    .map((one) => ({ ...one, served: wish.keeps ? undefined : wish.findServed(one) }));
  const leaving = others.flatMap((one) =>
    one.served !== undefined && one.fixed === undefined ? [{ ...one, served: one.served }] : [],
  );
  const staying = others
    .filter((one) => one.served === undefined || one.fixed !== undefined)
    .map((one) => ({
      ...one,
      why: reasonToStay(one, wish.keeps),
      isImportable: !wish.keeps && one.served === undefined,
    }));
  const edits: Edit[] = leaving.map((one) => ({ kind: 'remove', at: one.at, name: one.name }));
  if (replaced !== undefined && !isThere) edits.push({ kind: 'remove', at, name });
  if (!isThere) edits.push({ kind: 'add', at, name, source: { value: entry } });
  if (wish.asksForToken === true)
    edits.push(...inFile(file.path, file.document.text, () => questionEdits(file.document)));
  const { text, inverse } = inFile(file.path, file.document.text, () =>
    applyEdits(client.format, file.document.text, edits),
  );
  return { text, edits, inverse, replaced, isThere, leaving, staying };
}

function reasonToStay({ served, fixed }: { served: Served | undefined; fixed?: string }, keeps: boolean): string {
  if (keeps) return 'nothing else is changed';
  if (served === undefined) return 'it is not in the configuration';
  return `${fixed ?? 'it cannot be cut out'}; take it out by hand`;
}

function requireOurs(
  client: Client,
  found: ClientEntry | undefined,
  { name, entry, replaces, isRecorded }: ConnectWish,
): void {
  if (found === undefined || replaces || isOurEntry(found.value, urlOfEntry(entry)) || isRecorded(found.value)) return;
  const [command = ''] = commandLineOf(found.value);
  // One with spaces may be a whole command line, with secrets in it.
  const what = command === '' || /\s/.test(command) ? '' : ` (command: ${command})`;
  throw new WorkbenchError(
    'ENTRY_TAKEN',
    `${client.name}: an entry "${name}" is there that is not ours${what}. Nothing was changed. Use --name other, or --replace.`,
  );
}
