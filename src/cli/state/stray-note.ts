import { dirname, resolve } from 'node:path';
import type { ServerTarget, StdioTarget } from '../../config/config.js';
import type { ServerFileEntry } from '../../config/schema/schema.js';
import type { Computer } from '../../platform/computer.js';
import { loadPart } from '../../platform/load-part.js';

/** Why a server does not run in its directory, if so. */
export async function strayNoteOf(
  target: ServerTarget | undefined,
  configFile: string | undefined,
  computer: Computer,
): Promise<string | undefined> {
  const known = target?.kind === 'late' ? target.draft : target;
  if (known?.kind !== 'stdio') return undefined;
  const { strayNote } = await loadPart(() => import('../../downstream/stdio/runners/runner-place.js'));
  return strayNote(known, { computer, environment: new Map(), cacheDirectory: undefined, configFile });
}

/** An entry as it is written; variables in it are not expanded. */
export function writtenTarget(
  { command, args = [], cwd }: ServerFileEntry,
  configFile: string,
): StdioTarget | undefined {
  if (command === undefined) return undefined;
  return {
    ...{ kind: 'stdio', command, args, env: new Map<string, string>() },
    cwd: cwd === undefined ? undefined : resolve(dirname(configFile), cwd),
  };
}
