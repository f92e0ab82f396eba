import { isDeepStrictEqual } from 'node:util';
import type { Addition, Document, Edit, Entry, KeyPath, Removal } from '../../clients/documents/document.js';
import { applyEdits, openDocument } from '../../clients/documents/open-document.js';
import { WorkbenchError } from '../../contract/errors.js';
import { isRecord } from '../../jsonrpc/json.js';
import { additionsFor } from './additions.js';
import type {
  ConfigurationEdit,
  MovedServer,
  NewServer,
  NewToolbox,
  RemovedServer,
  ServerKey,
  ToolboxDescription,
} from './configuration-edit.js';
import { type ServerPlaces, serverPlacesIn } from './server-places.js';

/** What becomes of the text of a configuration, and the edits of text that this takes. */
export interface EditedConfiguration {
  readonly text: string;
  readonly edits: readonly Edit[];
  readonly inverse: readonly Edit[];
}

/**
 * Changes the text of a configuration. All that is not edited stays as it is, byte for byte. Undefined: a new file. Throws if
 * an edit does not fit to what is there; whether the result is a valid configuration is not checked here.
 */
export function editConfiguration(text: string | undefined, edits: readonly ConfigurationEdit[]): string {
  return planEdits(text, edits).text;
}

const newFile = '{\n  "toolboxes": {}\n}\n';

/** The same, with what the journal needs. */
export function planEdits(text: string | undefined, edits: readonly ConfigurationEdit[]): EditedConfiguration {
  let current = text === undefined || text.trim() === '' ? newFile : text;
  const made: Edit[] = [];
  const inverse: Edit[] = [];
  for (const step of stepsOf(edits)) {
    const document = openDocument('json', current);
    const next = textEditsFor(step, document, serverPlacesIn(document));
    const result = applyEdits('json', current, next);
    current = result.text;
    made.push(...next);
    inverse.unshift(...result.inverse);
  }
  return { text: current, edits: made, inverse };
}

type Step = readonly (NewToolbox | NewServer)[] | ToolboxDescription | RemovedServer | ServerKey | MovedServer;

/** Additions that follow each other are one step: the file is parsed once for all of them. */
function stepsOf(edits: readonly ConfigurationEdit[]): Step[] {
  const steps: Step[] = [];
  let additions: (NewToolbox | NewServer)[] | undefined;
  for (const edit of edits) {
    if (edit.kind !== 'add toolbox' && edit.kind !== 'add server') {
      additions = undefined;
      steps.push(edit);
    } else if (additions === undefined) {
      additions = [edit];
      steps.push(additions);
    } else additions.push(edit);
  }
  return steps;
}

function textEditsFor(step: Step, document: Document, places: ServerPlaces): Edit[] {
  if (!('kind' in step)) return additionsFor(step, document, places);
  if (step.kind === 'describe toolbox') return descriptionEdits(step, document, places);
  const { toolbox, server } = step;
  const at = places.of(toolbox);
  const entry = document.entriesAt(at).find(({ name }) => name === server);
  if (entry === undefined)
    throw new WorkbenchError('SERVER_NOT_FOUND', `No server '${server}' in toolbox '${toolbox}'.`, {
      place: { toolbox, server },
    });
  if (step.kind === 'remove server') return [removalOf(step, at, document)];
  return step.kind === 'move server' ? moveEdits(step, entry, document, places) : keyEdits(step, entry, document);
}

/** As its first key, where people look for it. In a file without toolboxes it is a key of the file. */
function descriptionEdits(
  { toolbox, description }: ToolboxDescription,
  document: Document,
  places: ServerPlaces,
): Edit[] {
  const at = places.objectOf(toolbox) ?? [];
  const isThere = document.keysAt(at).includes('description');
  const removal: Edit[] = isThere ? [{ kind: 'remove', at, name: 'description' }] : [];
  return [...removal, { kind: 'add', at, name: 'description', source: { value: description }, after: null }];
}

function removalOf({ toolbox, server }: RemovedServer | MovedServer, at: KeyPath, document: Document): Removal {
  if (document.keysAt(at).length > 1) return { kind: 'remove', at, name: server, withComments: true };
  const isInToolbox = at[0] === 'toolboxes' && at.length > 2;
  if (isInToolbox) return { kind: 'remove', at: ['toolboxes'], name: toolbox, withComments: true };
  throw new WorkbenchError(
    'CONFIG_UNEDITABLE',
    `'${server}' is the only server of the file, and a file without toolboxes needs one. Remove the file instead.`,
    { place: { toolbox, server } },
  );
}

function moveEdits(step: MovedServer, entry: Entry, document: Document, places: ServerPlaces): Edit[] {
  const { toolbox, server, to } = step;
  const from = entry.at;
  const target = places.of(to);
  if (isDeepStrictEqual(from, target))
    throw new WorkbenchError('ENTRY_TAKEN', `'${server}' is in toolbox '${to}' already.`, {
      place: { toolbox, server },
    });
  if (document.keysAt(target).includes(server))
    throw new WorkbenchError('ENTRY_TAKEN', `Toolbox '${to}' has a server '${server}' already.`, {
      place: { toolbox: to, server },
    });
  requireSameUnits(step, entry, target);
  const own = document.splicesFor({ kind: 'remove', at: from, name: server, withComments: true }).inverse;
  const source = own.kind === 'add' ? own.source : { value: entry.value };
  const addition: Addition = { kind: 'add', at: target, name: server, source };
  return [addition, removalOf(step, from, document)];
}

/** `timeout` is in seconds in the servers of Zed, and in milliseconds elsewhere. */
function requireSameUnits({ toolbox, server }: MovedServer, { at, value }: Entry, target: KeyPath): void {
  const isZed = (path: KeyPath) => path.at(-1) === 'context_servers';
  if (isZed(at) === isZed(target) || !isRecord(value) || !('timeout' in value)) return;
  throw new WorkbenchError(
    'CONFIG_UNEDITABLE',
    `The "timeout" of '${server}' would change its meaning: it is in seconds under "context_servers", and in milliseconds elsewhere. Replace it by "callTimeoutMs" first.`,
    { place: { toolbox, server } },
  );
}

function keyEdits({ server, key, value }: ServerKey, { at, value: entry }: Entry, document: Document): Edit[] {
  const place = [...at, server];
  const keys = document.keysAt(place);
  const isThere = keys.includes(key);
  if (isRecord(entry) && isDeepStrictEqual(entry[key], value)) return [];
  const removal: Edit[] = isThere ? [{ kind: 'remove', at: place, name: key }] : [];
  if (value === undefined) return removal;
  const after = isThere ? { after: keys[keys.indexOf(key) - 1] ?? null } : {};
  return [...removal, { kind: 'add', at: place, name: key, source: { value }, ...after }];
}
