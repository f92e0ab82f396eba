import type { StdioTarget } from '../../../config/config.js';
import { minimalEnvironment } from '../../../downstream/stdio/environment.js';
import { isExact } from '../../../downstream/stdio/runners/newest-version.js';
import { isUnclear, type NpxEntry, readNpxEntry, specOf } from '../../../downstream/stdio/runners/npx-words.js';
import { type Update, update } from '../../../downstream/stdio/runners/refresh.js';
import { shareUpdate } from '../../../downstream/stdio/runners/resolutions.js';
import type { AskingOptions } from '../../../downstream/stdio/runners/resolve-npx.js';
import type { RunnerPlace } from '../../../downstream/stdio/runners/trusted-directory.js';
import type { Computer } from '../../../platform/computer.js';
import { cacheDirectoryOf } from '../../../platform/directories.js';
import { loadPart } from '../../../platform/load-part.js';

/** Asks npm on behalf of a command. */
export interface PackageUpdates {
  /** Whether the server is started from a package that npm is asked for. */
  isResolved(target: StdioTarget): boolean;
  /** Whether its entry allows one version only. */
  isFixed(target: StdioTarget): boolean;
  specOf(target: StdioTarget): string;
  update(target: StdioTarget, signal: AbortSignal): Promise<Update>;
  /** Resolves when no process of npm is left. */
  close(): Promise<void>;
}

export async function createPackageUpdates(
  computer: Computer,
  configFile: string | undefined,
): Promise<PackageUpdates> {
  const { createProgramStarter } = await loadPart(() => import('../../../downstream/stdio/start-program.js'));
  const { start, close } = createProgramStarter(computer);
  const environment = minimalEnvironment(computer.env, computer.platform);
  const place: RunnerPlace = { computer, environment, cacheDirectory: cacheDirectoryOf(computer), configFile };
  const asking: AskingOptions['asking'] = new Map();

  function entryOf({ command, args, resolve }: StdioTarget): NpxEntry | undefined {
    const entry = resolve === false ? undefined : readNpxEntry(command, args);
    return entry === undefined || isUnclear(entry) ? undefined : entry;
  }

  function known(target: StdioTarget): NpxEntry {
    const entry = entryOf(target);
    if (entry === undefined) throw new Error('it is not started by npx');
    return entry;
  }

  return {
    isResolved: (target) => entryOf(target) !== undefined,
    isFixed: (target) => isExact(specOf(known(target))),
    specOf: (target) => specOf(known(target)),
    async update(target, signal) {
      const outcome = await update(known(target), target, place, { start, signal, asking, note: () => {} });
      // Clients have other variables than this terminal, and so records of their own.
      if (!('problem' in outcome)) await shareUpdate(place, specOf(known(target)), outcome.after);
      return outcome;
    },
    close,
  };
}
