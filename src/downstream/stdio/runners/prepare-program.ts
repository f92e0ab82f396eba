// A part of its own: it is loaded for entries that run a package runner.
import type { StdioTarget } from '../../../config/config.js';
import { isSamePackage, type PackageVersion } from '../../../contract/package-version.js';
import { withAbsolutePath } from './absolute-path.js';
import { hasRunner } from './elsewhere/find-runner.js';
import { startElsewhere } from './elsewhere/start-elsewhere.js';
import { isUnclear, type NpxEntry, pinnedTo, readNpxEntry, type UnclearEntry } from './npx-words.js';
import { refresh } from './refresh.js';
import { isIntact, readResolution, removeResolution, resolutionFile } from './resolutions.js';
import { type AskingOptions, type Outcome, resolveNpx } from './resolve-npx.js';
import { programFrom, type RealProgram } from './run-file.js';
import { directoryOf, type RunnerPlace, trustedDirectory } from './trusted-directory.js';

/** What is really started for an entry, or why nothing is. */
export type Prepared = PreparedProgram | Extract<Outcome, { readonly is: 'failed' | 'aborted' }>;

export interface PreparedProgram {
  readonly is: 'ready';
  readonly program: RealProgram;
  readonly package?: PackageVersion | undefined;
  /** Forgets what npm said: the program did not work. Undefined if npm was asked just now. */
  readonly forget?: (() => Promise<void>) | undefined;
  /** Looks for a newer version, if that was long ago. Never fails. */
  readonly refresh?: ((everyMs: number, signal: AbortSignal) => Promise<void>) | undefined;
}

export interface PreparationOptions extends AskingOptions {
  /** The only version of the package that may be started. */
  readonly pinned?: PackageVersion | undefined;
}

/** Turns the words of a package runner into the program that they stand for. */
export async function prepareProgram(
  target: StdioTarget,
  place: RunnerPlace,
  options: PreparationOptions,
): Promise<Prepared> {
  const written = target.resolve === false ? undefined : readNpxEntry(target.command, target.args);
  // A runner among the arguments of a server would run in its directory, too.
  if (written === undefined || (hasRunner(target.args) && trustedDirectory(target, place) === undefined))
    return otherwise(target, place, options);
  const entry = isUnclear(written) ? written : pinnedTo(written, options.pinned);
  const outcome: Outcome = isUnclear(entry)
    ? { is: 'unresolved', why: entry.why }
    : ((await approvedAlready(written, target, place, options.pinned)) ??
      (await resolveNpx(entry, target, place, options)));
  if (outcome.is === 'failed' || outcome.is === 'aborted') return outcome;
  if (outcome.is === 'unresolved' || isUnclear(entry)) {
    const why = outcome.is === 'unresolved' ? outcome.why : '';
    if (options.pinned !== undefined) return { is: 'failed', reason: notApproved(options.pinned, why) };
    options.note(`it is run as written, by its package runner: ${why}`);
    return otherwise(target, place, options);
  }
  const { resolution, isNew } = outcome;
  if (options.pinned !== undefined && !isSamePackage(options.pinned, resolution))
    return { is: 'failed', reason: notApproved(options.pinned, otherPackage(options.pinned, resolution)) };
  const { cwd, platform } = place.computer;
  const directory = trustedDirectory(target, place);
  const all = new Map([...place.environment, ...target.env]);
  const env = directory === undefined ? withAbsolutePath(all) : all;
  const file = resolutionFile(entry, target, place, directory);
  const { name, version, integrity, at } = resolution;
  return {
    is: 'ready',
    program: await programFrom(resolution, entry.args, target, { env, cwd, platform }),
    package: { name, version, integrity, at },
    ...(options.pinned === undefined && {
      refresh: (everyMs: number, signal: AbortSignal) =>
        refresh(target, place, { ...options, signal, waiting: () => {} }, everyMs),
    }),
    ...(!isNew && file !== undefined && { forget: () => removeResolution(file) }),
  };
}

/** What is known about the entry as written, if that is the approved version. */
async function approvedAlready(
  written: NpxEntry | UnclearEntry,
  target: StdioTarget,
  place: RunnerPlace,
  pinned: PackageVersion | undefined,
): Promise<Outcome | undefined> {
  if (pinned === undefined || isUnclear(written)) return undefined;
  const file = resolutionFile(written, target, place, trustedDirectory(target, place));
  const known = file === undefined ? undefined : await readResolution(file);
  if (known?.name !== pinned.name || known.version !== pinned.version || !(await isIntact(known))) return undefined;
  return { is: 'resolved', resolution: known, isNew: false };
}

function notApproved({ name, version }: PackageVersion, why: string): string {
  return `only ${name}@${version} was approved, but ${why}. To look at it: mcp-workbench approve`;
}

function otherPackage(pinned: PackageVersion, { name, version }: PackageVersion): string {
  const isPublishedAgain = pinned.name === name && pinned.version === version;
  return isPublishedAgain ? 'that has another content now' : `npm gives ${name}@${version}`;
}

/** Runs the words as they are; where their directory is not trusted, a package runner starts in one of ours. */
async function otherwise(target: StdioTarget, place: RunnerPlace, { note }: AskingOptions): Promise<Prepared> {
  const isTrusted = trustedDirectory(target, place) !== undefined;
  const elsewhere = isTrusted ? undefined : await startElsewhere(target, directoryOf(target, place), place);
  if (elsewhere !== undefined) note(elsewhere.note);
  const { command, args, cwd } = elsewhere ?? target;
  const env = new Map([...place.environment, ...(elsewhere?.env ?? []), ...target.env]);
  return { is: 'ready', program: { command, args, cwd, env: elsewhere === undefined ? env : withAbsolutePath(env) } };
}
