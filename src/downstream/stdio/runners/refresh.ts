import type { StdioTarget } from '../../../config/config.js';
import { withAbsolutePath } from './absolute-path.js';
import { hasTag, newestVersion } from './newest-version.js';
import { isUnclear, type NpxEntry, nameInSpec, readNpxEntry, specOf } from './npx-words.js';
import type { Resolution } from './resolution.js';
import { readResolution, resolutionFile, saveResolution } from './resolutions.js';
import { type AskingOptions, resolveNow } from './resolve-npx.js';
import { directoryOf, type RunnerPlace, trustedDirectory } from './trusted-directory.js';

/** The last time that npm was asked for what a tag stands for, by file: it may not have said. */
const asked = new Map<string, number>();

/**
 * Looks up what the tag of a package stands for, if that was long ago. The next start has the newer version: it gets a directory of
 * its own, so nothing that runs is replaced. Never fails.
 */
export async function refresh(
  target: StdioTarget,
  place: RunnerPlace,
  options: AskingOptions,
  everyMs: number,
): Promise<void> {
  const entry = readNpxEntry(target.command, target.args);
  if (entry === undefined || isUnclear(entry) || everyMs === 0 || !hasTag(specOf(entry)) || entry.packages.length > 1)
    return;
  const file = resolutionFile(entry, target, place, trustedDirectory(target, place));
  const known = file === undefined ? undefined : await readResolution(file);
  if (file === undefined || known === undefined) return;
  if (Date.now() - Math.max(known.at, asked.get(file) ?? 0) < everyMs) return;
  asked.set(file, Date.now());
  try {
    const outcome = await update(entry, target, place, options);
    if ('problem' in outcome) options.note(`no newer version was looked up: ${outcome.problem}`);
  } catch (error) {
    options.note(`no newer version was looked up: ${String(error)}`);
  }
}

export type Update =
  | { readonly before: Resolution | undefined; readonly after: Resolution }
  | { readonly problem: string };

/** Asks npm for the newest version that an entry allows, and has it installed if it is another. */
export async function update(
  entry: NpxEntry,
  target: StdioTarget,
  place: RunnerPlace,
  options: AskingOptions,
): Promise<Update> {
  const { cacheDirectory, computer } = place;
  const directory = trustedDirectory(target, place);
  const all = new Map([...place.environment, ...target.env]);
  const env = directory === undefined ? withAbsolutePath(all) : all;
  const { start, signal } = options;
  const cwd = directoryOf(target, place);
  const found = await newestVersion({
    ...{ entry, env, directory, cwd, cacheDirectory, platform: computer.platform, start, signal },
  });
  if ('problem' in found) return found;
  const file = resolutionFile(entry, target, place, directory);
  const before = file === undefined ? undefined : await readResolution(file);
  if (file !== undefined && before?.version === found.version) {
    const after = { ...before, at: Date.now() };
    await saveResolution(file, after);
    return { before, after };
  }
  const outcome = await resolveNow(target, place, {
    ...options,
    spec: `${nameInSpec(specOf(entry))}@${found.version}`,
  });
  switch (outcome.is) {
    case 'resolved':
      return { before, after: outcome.resolution };
    case 'unresolved':
      return { problem: outcome.why };
    case 'failed':
      return { problem: outcome.reason };
    case 'aborted':
      return { problem: 'it was cancelled' };
  }
}
