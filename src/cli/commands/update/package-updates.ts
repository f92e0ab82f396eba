import type { ServerConfig, StdioTarget } from '../../../config/config.js';
import { messageOf } from '../../../contract/errors.js';
import { minimalEnvironment } from '../../../downstream/stdio/environment.js';
import { isExact } from '../../../downstream/stdio/runners/newest-version.js';
import { isUnclear, type NpxEntry, readNpxEntry, specOf } from '../../../downstream/stdio/runners/npx-words.js';
import { type Update, update } from '../../../downstream/stdio/runners/refresh.js';
import { resolutionFile, shareUpdate } from '../../../downstream/stdio/runners/resolutions.js';
import type { AskingOptions } from '../../../downstream/stdio/runners/resolve-npx.js';
import { type RunnerPlace, trustedDirectory } from '../../../downstream/stdio/runners/trusted-directory.js';
import type { Computer } from '../../../platform/computer.js';
import { cacheDirectoryOf } from '../../../platform/directories.js';
import { loadPart } from '../../../platform/load-part.js';

/** A server whose package npm is asked for. */
export interface PackageServer {
  readonly spec: string;
  /** Why no newer version can be looked up, if so. */
  readonly why?: string;
}

/** Asks npm on behalf of a command. */
export interface PackageUpdates {
  /** Undefined if the server is not started from a package that npm is asked for. */
  packageOf(server: ServerConfig): PackageServer | undefined;
  update(server: ServerConfig, signal: AbortSignal): Promise<Update>;
  /** Resolves when no process of npm is left. */
  close(): Promise<void>;
}

export async function createPackageUpdates(
  computer: Computer,
  configFile: string | undefined,
): Promise<PackageUpdates> {
  const { createProgramStarter } = await loadPart(() => import('../../../downstream/stdio/start-program.js'));
  const programs = createProgramStarter(computer);
  const environment = minimalEnvironment(computer.env, computer.platform);
  const place: RunnerPlace = { computer, environment, cacheDirectory: cacheDirectoryOf(computer), configFile };
  const asking: AskingOptions['asking'] = new Map();

  async function ask(server: ServerConfig, target: StdioTarget, entry: NpxEntry, signal: AbortSignal): Promise<Update> {
    const { start, mask } = await programs.of(server);
    try {
      const outcome = await update(entry, target, place, { start, signal, asking, note: () => {} });
      if ('problem' in outcome) return { problem: mask(outcome.problem) };
      const file = resolutionFile(entry, target, place, trustedDirectory(target, place));
      if (file !== undefined) await shareUpdate(file, outcome.after);
      return outcome;
    } catch (error) {
      return { problem: mask(messageOf(error)) };
    }
  }

  return {
    packageOf({ target }) {
      const entry = entryOf(target.kind === 'late' ? target.draft : target);
      if (entry === undefined) return undefined;
      const spec = specOf(entry);
      // Without the variables that its program prints, npm might ask another registry.
      if (target.kind === 'late')
        return { spec, why: 'its envCommand has variables for npm: it is looked up when it starts' };
      if (entry.packages.length > 1) return { spec, why: 'it has several packages, which are left as they are' };
      return isExact(spec) ? { spec, why: 'the configuration names this version' } : { spec };
    },
    async update(server, signal) {
      const { target, limits } = server;
      const entry = target.kind === 'stdio' ? entryOf(target) : undefined;
      if (target.kind !== 'stdio' || entry === undefined) return { problem: 'it is not started by npx' };
      const limit = AbortSignal.timeout(limits.startTimeoutMs);
      const outcome = await ask(server, target, entry, AbortSignal.any([signal, limit]));
      return 'problem' in outcome && limit.aborted
        ? { problem: `npm did not answer within ${limits.startTimeoutMs} ms (startTimeoutMs)` }
        : outcome;
    },
    close: programs.close,
  };
}

function entryOf(target: ServerConfig['target']): NpxEntry | undefined {
  if (target.kind !== 'stdio' || target.resolve === false) return undefined;
  const entry = readNpxEntry(target.command, target.args);
  return entry === undefined || isUnclear(entry) ? undefined : entry;
}
