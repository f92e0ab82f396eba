import { existsSync } from 'node:fs';
import type { Config } from '../../config/config.js';
import { configCandidates, type FindOptions } from '../../config/files/find.js';
import { watchFiles } from '../../config/files/watch-files.js';
import type { Configuration } from '../../config/read/configuration.js';
import { keepLastGood } from '../../config/read/last-good.js';
import { trustFileOf } from '../../config/trust/trust-store.js';
import { messageOf } from '../../contract/errors.js';
import type { Log } from '../../platform/log.js';
import { printableLine } from '../../text/printable.js';
import { shorten } from '../../text/shorten.js';
import { createEdits, type Edits } from './edits.js';
import type { LiveConfiguration } from './live-configuration.js';

/** The value of `--config`, and where else to look. */
type Search = Omit<FindOptions, 'path'> & { readonly path: string | undefined };

interface Problem {
  readonly text: string;
  readonly note: string;
  /** The faults of a file that cannot be used. */
  readonly fault?: string;
}

/** A faulty file may be half written: it is looked at again before anything is said about it. */
const secondLookMs = 600;
/** Beside the path of the file, which it has twice. */
const longestNote = 600;

/**
 * Follows edits of the configuration. The same places are searched as at the start, and what is found there is taken, with one
 * exception: a configuration that is in use is not given up because its file is gone, broken or not trusted any more.
 */
export function followConfiguration(
  live: LiveConfiguration,
  find: (log: Log) => Promise<Configuration>,
  { path, ...computer }: Search,
  log: Log,
  edits: Edits = createEdits(live, computer, log),
): void {
  const candidates = configCandidates({ ...computer, ...(path !== undefined && { path }) });
  const local = candidates.find(({ needsTrust, isRelative }) => needsTrust ?? isRelative);
  const files = watchFiles(() => void look());
  /** As it was found, whatever of it is in use. */
  let found = live.current;
  let noted: string | undefined;
  const holdWarnings = createWarnings(log);
  const noteLength = longestNote + 2 * Math.max(...candidates.map((one) => one.path.length));
  let isLooking = false;
  let isChanged = false;
  let isFirst = true;
  let doubted: string | undefined;
  let reported = live.current.fault?.message;
  let kept: string | undefined;
  let secondLook: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    isChanged = true;
    if (isLooking) return;
    isLooking = true;
    while (isChanged) {
      isChanged = false;
      clearTimeout(secondLook);
      report(await problemOf());
      // What was changed before its file was watched is found by another look.
      isChanged ||= await files.watch(watched());
      isFirst = false;
    }
    isLooking = false;
  }

  async function problemOf(): Promise<Problem | undefined> {
    const warnings = holdWarnings();
    try {
      const next = await find(warnings.log);
      if (rankOf(next) < rankOf(live.current)) return lossOf(live.current, next);
      const isSame = await isUnchanged(found, next);
      if (isSame) edits.review();
      else await edits.take(next, next.source !== undefined && next.source.path === local?.path);
      found = next;
      warnings.release(isFirst && isSame);
      keep(next);
      return undefined;
    } catch (error) {
      return faultOf(error, noteLength);
    }
  }

  /** For sessions that start while the file has a fault. What is trusted of a file in the working directory is one text of it. */
  function keep({ source }: Configuration): void {
    if (source === undefined || source.text === kept || source.path === local?.path) return;
    kept = source.text;
    try {
      keepLastGood(computer, source.path, source.text);
    } catch {
      // Without it everything else goes on.
    }
  }

  function report(problem: Problem | undefined): void {
    if (problem === undefined) {
      setNote(edits.note);
      doubted = reported = undefined;
      return;
    }
    const key = problem.fault ?? problem.text;
    if (key === reported) {
      doubted = undefined;
    } else if (key === doubted) {
      say(problem);
      reported = key;
    } else {
      doubted = key;
      secondLook = setTimeout(() => void look(), secondLookMs).unref();
    }
  }

  function say({ text, note, fault }: Problem): void {
    const { fault: known } = live.current;
    if (fault === undefined || known === undefined) {
      log.error(text);
      setNote(note);
    } else {
      log.error(`${fault}\n${known.meanwhile}`);
      live.take(known.renew(fault));
    }
  }

  function setNote(text: string | undefined): void {
    if (text === noted) return;
    noted = text;
    live.setNote(text);
  }

  function watched(): readonly string[] {
    const trust = local !== undefined && existsSync(local.path) ? [trustFileOf(computer)] : [];
    return [...new Set([...candidates.map((one) => one.path), ...trust, ...live.current.files(), ...edits.files()])];
  }

  /** A file in the working directory goes before the user's own, which goes before none. */
  function rankOf({ overview: { configFile } }: Configuration): number {
    return configFile === undefined ? 0 : configFile === candidates.at(-1)?.path ? 1 : 2;
  }

  live.onserve = () => void look();
  void look();
}

/** Whether the file and all that was read for it are the same. */
async function isUnchanged(current: Configuration, next: Configuration): Promise<boolean> {
  const isSameFile =
    next.source?.text === current.source?.text &&
    digestsOf(next) === digestsOf(current) &&
    JSON.stringify(next.overview) === JSON.stringify(current.overview);
  if (!isSameFile || current.files().length === 0) return isSameFile;
  return fingerprintsIn(await current.load()) === fingerprintsIn(await next.load());
}

/** Of the files that it names, as they were trusted. */
function digestsOf({ source }: Configuration): string | undefined {
  return source?.vouched?.map(({ sha256 }) => sha256).join();
}

function fingerprintsIn({ toolboxes }: Config): string {
  const servers = [...toolboxes.values()].flatMap((toolbox) => [...toolbox.servers.values()]);
  return JSON.stringify(servers.map(({ fingerprint }) => fingerprint));
}

const keeps = 'the configuration that was read before stays in use';

function faultOf(error: unknown, noteLength: number): Problem {
  const message = messageOf(error);
  return {
    fault: message,
    text: `the configuration has changed and cannot be used; ${keeps}: ${message}`,
    note: shorten(
      `The configuration file has changed and cannot be used; ${keeps}: ${printableLine(message)}`,
      noteLength,
    ),
  };
}

/** The file in use is not found any more, or is not trusted; then no text of it may reach the agent. */
function lossOf({ overview: { configFile } }: Configuration, { overview: { notice } }: Configuration): Problem {
  const file = printableLine(configFile ?? '');
  return notice === undefined
    ? {
        text: `the configuration file ${file} does not exist any more; ${keeps}`,
        note: `The configuration file does not exist any more; ${keeps}.`,
      }
    : {
        text: `${file} is not trusted any more, because it was edited or its trust was taken back; ${keeps}. To look at it and trust it, run in its directory: mcp-workbench trust`,
        note: `The configuration file in the working directory is not trusted any more; ${keeps}. Only the user can trust it as it is now, in a terminal: mcp-workbench trust`,
      };
}

/** For the warnings of one look: they are kept back until it has succeeded, and only what the look before had not is logged. */
function createWarnings(log: Log) {
  let before: ReadonlySet<string> = new Set();
  return () => {
    const found = new Set<string>();
    let isHeld = true;
    return {
      log: { ...log, warn: (text: string) => void (isHeld ? found.add(text) : log.warn(text)) },
      /** `areKnown`: they have been logged at the start. */
      release(areKnown: boolean): void {
        if (!areKnown) for (const text of found) if (!before.has(text)) log.warn(text);
        before = found;
        isHeld = false;
      },
    };
  };
}
