import type { StdioTarget } from '../../../config/config.js';
import { messageOf } from '../../../contract/errors.js';
import { withFileLock } from '../../../platform/file-lock.js';
import { markUsed } from '../../../platform/unused-entries.js';
import { withAbsolutePath } from './absolute-path.js';
import { type Answer, askNpm, type Question, type StartProgram } from './ask-npm.js';
import { hasTag, newestVersion } from './newest-version.js';
import { isUnclear, type NpxEntry, nameInSpec, readNpxEntry, specOf, withSpec } from './npx-words.js';
import { foreignProgram, readReport } from './report.js';
import type { Resolution } from './resolution.js';
import { isAskedElsewhere, isIntact, readResolution, resolutionFile, saveResolution } from './resolutions.js';
import { createRunnerTrust, directoryOf, type RunnerPlace, trustedDirectory } from './trusted-directory.js';

/** How npm is asked on behalf of a server. */
export interface AskingOptions {
  readonly start: StartProgram;
  /** Ends the wait, and npm if there is no other waiter. */
  readonly signal: AbortSignal;
  /** Questions that are being asked, so that no other session asks them too. */
  readonly asking: Asking;
  /** For the log of the server. */
  readonly note: (text: string) => void;
  /** Called before a wait for npm, with what describes it. */
  readonly waiting?: ((words: () => string) => void) | undefined;
  /** Another version of the package, `NAME@VERSION`, than the entry asks for. */
  readonly spec?: string | undefined;
}

export type Asking = Map<string, Ask>;

interface Ask {
  readonly begun: number;
  readonly abort: AbortController;
  readonly done: Promise<Outcome>;
  waiters: number;
}

/**
 * - `resolved`: `isNew` if npm was asked
 * - `unresolved`: npm runs something else than a program of a package; a phrase
 * - `failed`: npm could not provide the package; a sentence
 * - `aborted`: by the signal; no process of npm is left when `cleanup` resolves
 */
export type Outcome =
  | { readonly is: 'resolved'; readonly resolution: Resolution; readonly isNew: boolean }
  | { readonly is: 'unresolved'; readonly why: string }
  | { readonly is: 'failed'; readonly reason: string }
  | { readonly is: 'aborted'; readonly cleanup: Promise<void> };

/** Asks npm now, also if the answer is known, and keeps the answer for the entry. */
export async function resolveNow(target: StdioTarget, place: RunnerPlace, options: AskingOptions): Promise<Outcome> {
  const entry = readNpxEntry(target.command, target.args);
  if (entry === undefined) return { is: 'unresolved', why: 'it does not run npx' };
  return isUnclear(entry)
    ? { is: 'unresolved', why: entry.why }
    : sharedAsk({ entry, target, place, isForced: true }, options);
}

/** What is known about an entry, if it is still true, or else what npm says. */
export async function resolveNpx(
  entry: NpxEntry,
  target: StdioTarget,
  place: RunnerPlace,
  options: AskingOptions,
): Promise<Outcome> {
  const file = resolutionFile(entry, target, place, trustedDirectory(target, place));
  const known = file === undefined ? undefined : await readResolution(file);
  if (file !== undefined && known !== undefined && (await isIntact(known))) {
    await markUsed(file);
    return { is: 'resolved', resolution: known, isNew: false };
  }
  if (known !== undefined) {
    options.note(`${known.name}@${known.version} or the settings of npm have changed; npm is asked again`);
  }
  return sharedAsk({ entry, target, place, isForced: false }, options);
}

interface Wanted {
  readonly entry: NpxEntry;
  readonly target: StdioTarget;
  readonly place: RunnerPlace;
  /** Whether what another process has just found out is not enough. */
  readonly isForced: boolean;
}

/** One npm for all that want to know the same at the same time. */
async function sharedAsk(wanted: Wanted, options: AskingOptions): Promise<Outcome> {
  const { asking, signal, spec, waiting } = options;
  const { entry, target, place } = wanted;
  const directory = trustedDirectory(target, place);
  const file = resolutionFile(entry, target, place, directory);
  // Without a file it is the same question only with the same variables: HOME leads to the cache of npm.
  const question = [target.command, target.args, [...target.env], directory, [...place.environment]];
  const key = JSON.stringify([file ?? question, spec]);
  let ask = asking.get(key);
  if (ask === undefined || ask.abort.signal.aborted) {
    const abort = new AbortController();
    const done = lockedAsk(wanted, file, { ...options, signal: abort.signal });
    ask = { begun: performance.now(), abort, done, waiters: 0 };
    const own = ask;
    asking.set(key, own);
    const forget = () => void (asking.get(key) === own && asking.delete(key));
    done.then(forget, forget);
  }
  const { begun } = ask;
  const what = spec ?? specOf(entry);
  waiting?.(() => `installing ${what} … ${Math.round((performance.now() - begun) / 1_000)} s`);
  return waitFor(ask, signal);
}

async function waitFor(ask: Ask, signal: AbortSignal): Promise<Outcome> {
  ask.waiters++;
  let leave = () => {};
  const left = new Promise<Outcome>((resolve) => {
    leave = () => {
      if (ask.waiters === 1) ask.abort.abort();
      const settled = ask.done.then(
        () => {},
        () => {},
      );
      resolve({ is: 'aborted', cleanup: ask.abort.signal.aborted ? settled : Promise.resolve() });
    };
  });
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([left, ask.done]);
  } finally {
    ask.waiters--;
    signal.removeEventListener('abort', leave);
  }
}

/** Other processes may ask the same: the second one finds the answer of the first. */
async function lockedAsk(wanted: Wanted, file: string | undefined, options: AskingOptions): Promise<Outcome> {
  const begun = Date.now();
  let hasLock = false;
  const ask = async (): Promise<Outcome> => {
    hasLock = true;
    const known = file === undefined || wanted.isForced ? undefined : await readResolution(file);
    const isFresh = known !== undefined && known.at >= begun && (await isIntact(known));
    return isFresh ? { is: 'resolved', resolution: known, isNew: true } : answerFor(wanted, file, options);
  };
  if (file === undefined) return ask();
  try {
    return await withFileLock(file, { limitMs: Infinity, signal: options.signal }, ask);
  } catch (error) {
    if (options.signal.aborted) return { is: 'aborted', cleanup: Promise.resolve() };
    // Where no lock can be written, two may ask at the same time; npm can do that.
    if (!hasLock) return ask();
    throw error;
  }
}

async function answerFor(
  { entry, target, place }: Wanted,
  file: string | undefined,
  { start, signal, note, spec }: AskingOptions,
): Promise<Outcome> {
  const { computer, cacheDirectory } = place;
  const directory = trustedDirectory(target, place);
  const all = new Map([...place.environment, ...target.env]);
  const env = directory === undefined ? withAbsolutePath(all) : all;
  const where = { directory, cwd: directoryOf(target, place), cacheDirectory, platform: computer.platform };
  const question = { entry, env, ...where, start, signal };
  const asked = spec === undefined ? await withoutUsedTag(question, file) : withSpec(entry, spec);
  const answer: Answer = await askNpm({ ...question, entry: asked });
  if (signal.aborted) return { is: 'aborted', cleanup: Promise.resolve() };
  if (answer.is === 'failed') return answer;
  if (answer.is === 'silent') return { is: 'unresolved', why: 'npm did not say which program it runs' };
  const isTrusted = createRunnerTrust(place);
  const foreign = directory === undefined ? await foreignProgram(answer.report, isTrusted) : undefined;
  if (foreign !== undefined) {
    const why = "which is not from its cache, and is not run: it may be somebody else's";
    return { is: 'failed', reason: `npm would run ${foreign} for ${specOf(asked)}, ${why}. Remove it` };
  }
  const found = await readReport(answer.report, { spec: specOf(entry), env, directory, isTrusted });
  if (typeof found === 'string') return { is: 'unresolved', why: found };
  note(`${found.spec} is ${found.name}@${found.version}, ${found.program}`);
  await keep(file, found, note);
  return { is: 'resolved', resolution: found, isNew: true };
}

/**
 * npm installs whatever a tag stands for in one directory. If that may be in use, the version is asked for by its number: it has a
 * directory of its own.
 */
async function withoutUsedTag(question: Question, file: string | undefined): Promise<NpxEntry> {
  const { entry } = question;
  const spec = specOf(entry);
  if (file === undefined || entry.packages.length > 1 || !hasTag(spec)) return entry;
  if (!(await isAskedElsewhere(file, spec))) return entry;
  const found = await newestVersion(question);
  return 'version' in found ? withSpec(entry, `${nameInSpec(spec)}@${found.version}`) : entry;
}

async function keep(file: string | undefined, found: Resolution, note: AskingOptions['note']): Promise<void> {
  if (file === undefined) return;
  await saveResolution(file, found).catch((error: unknown) => {
    note(`npm will be asked at the next start, too: ${messageOf(error)}`);
  });
}
