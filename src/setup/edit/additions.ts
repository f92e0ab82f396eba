import type { Addition, Document } from '../../clients/documents/document.js';
import { WorkbenchError } from '../../contract/errors.js';
import type { NewServer, NewToolbox } from './configuration-edit.js';
import type { ServerPlaces } from './server-places.js';
import { memberLines, plainJson, toolboxLines } from './written-lines.js';

/** New toolboxes are written with the new servers in them; other new servers come behind those of their toolbox. */
export function additionsFor(
  edits: readonly (NewToolbox | NewServer)[],
  document: Document,
  places: ServerPlaces,
): Addition[] {
  const toolboxes = new Map<string, { readonly head: NewToolbox; readonly servers: NewServer[] }>();
  const existing = new Map<string, NewServer[]>();
  for (const edit of edits) {
    if (edit.kind === 'add toolbox') {
      if (toolboxes.has(edit.toolbox) || places.toolboxes.includes(edit.toolbox)) throw takenToolbox(edit);
      toolboxes.set(edit.toolbox, { head: edit, servers: [] });
      continue;
    }
    const made = toolboxes.get(edit.toolbox)?.servers ?? existing.get(edit.toolbox);
    if (made === undefined) existing.set(edit.toolbox, [edit]);
    else made.push(edit);
  }
  return [
    ...Array.from(existing, ([toolbox, servers]) => serverAdditions(toolbox, servers, document, places)).flat(),
    ...Array.from(toolboxes.values(), ({ head, servers }) => toolboxAddition(head, servers, places)),
  ];
}

function serverAdditions(
  toolbox: string,
  servers: readonly NewServer[],
  document: Document,
  places: ServerPlaces,
): Addition[] {
  const at = places.of(toolbox);
  const names = new Set(document.keysAt(at));
  return servers.map((edit) => {
    const { server, entry, comments = [] } = edit;
    if (names.has(server)) throw takenServer(edit);
    names.add(server);
    const value = plainJson(entry);
    return { kind: 'add', at, name: server, source: { value, lines: memberLines(server, value) }, comments };
  });
}

function toolboxAddition(head: NewToolbox, servers: readonly NewServer[], places: ServerPlaces): Addition {
  const { toolbox, description } = head;
  const entries = new Map<string, unknown>();
  const plain = servers.map((edit) => {
    if (entries.has(edit.server)) throw takenServer(edit);
    const entry = plainJson(edit.entry);
    entries.set(edit.server, entry);
    return { ...edit, entry };
  });
  const value = { ...(description !== undefined && { description }), mcpServers: Object.fromEntries(entries) };
  const source = { value, lines: toolboxLines(head, plain) };
  return { kind: 'add', at: places.forToolboxes(), name: toolbox, source };
}

function takenServer({ toolbox, server }: NewServer): WorkbenchError {
  return new WorkbenchError('ENTRY_TAKEN', `Toolbox '${toolbox}' has a server '${server}' already.`, {
    place: { toolbox, server },
  });
}

function takenToolbox({ toolbox }: NewToolbox): WorkbenchError {
  return new WorkbenchError('ENTRY_TAKEN', `There is a toolbox '${toolbox}' already.`, { place: { toolbox } });
}
