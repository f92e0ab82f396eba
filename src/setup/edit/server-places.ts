import type { Document, KeyPath } from '../../clients/documents/document.js';
import { containerKeys } from '../../config/schema/containers.js';
import { WorkbenchError } from '../../contract/errors.js';
import { isRecord } from '../../jsonrpc/json.js';

/** Where the servers of toolboxes stand in a file. */
export interface ServerPlaces {
  /** The toolboxes of the file, in order. */
  readonly toolboxes: readonly string[];
  /** The object with the servers of a toolbox. Throws if there is no such toolbox. */
  of(toolbox: string): KeyPath;
  /** The toolbox itself; undefined if the file has servers without toolboxes. Throws if there is no such toolbox. */
  objectOf(toolbox: string): KeyPath | undefined;
  /** Where a new toolbox goes. Throws for a file that has servers without toolboxes. */
  forToolboxes(): KeyPath;
}

const key = 'toolboxes';

/** The name that the servers of a file without toolboxes are served under. */
const defaultToolbox = 'default';

export function serverPlacesIn(document: Document): ServerPlaces {
  const root = document.entriesAt([]);
  const outer = containerIn(root.map(({ name, value }) => [name, value]));
  const isFlat = outer !== undefined && !root.some(({ name }) => name === key);
  const toolboxes = isFlat ? [defaultToolbox] : document.keysAt([key]);
  const known = new Map<string, KeyPath>();
  return {
    toolboxes,
    of(toolbox) {
      const place = known.get(toolbox) ?? placeOf(toolbox);
      known.set(toolbox, place);
      return place;
    },
    objectOf(toolbox) {
      requireKnown(toolbox);
      return isFlat ? undefined : [key, toolbox];
    },
    forToolboxes() {
      if (!isFlat) return [key];
      throw new WorkbenchError(
        'CONFIG_UNEDITABLE',
        `The file has its servers in "${outer.join('.')}", without toolboxes; they are the toolbox '${defaultToolbox}'. To have ` +
          `another one, move them: { "toolboxes": { "${defaultToolbox}": { "${outer.join('.')}": { … } } } }`,
      );
    },
  };

  function requireKnown(toolbox: string): void {
    if (!toolboxes.includes(toolbox))
      throw new WorkbenchError('TOOLBOX_NOT_FOUND', `No toolbox '${toolbox}'.`, { place: { toolbox } });
  }

  function placeOf(toolbox: string): KeyPath {
    requireKnown(toolbox);
    if (isFlat) return outer;
    const at = [key, toolbox];
    const members = document.entriesAt(at).map(({ name, value }): [string, unknown] => [name, value]);
    return [...at, ...(containerIn(members) ?? ['mcpServers'])];
  }
}

/** The keys that lead to the servers, in the dialect of any client. */
function containerIn(members: readonly (readonly [string, unknown])[]): KeyPath | undefined {
  const held = new Map(members);
  const name = containerKeys.find((one) => held.has(one));
  if (name === undefined) return undefined;
  const value = held.get(name);
  // As `validate.ts` decides: a server could have this name.
  const block = name === 'mcp' && isRecord(value) ? value['servers'] : undefined;
  return isRecord(block) && Object.values(block).every(isRecord) ? [name, 'servers'] : [name];
}
