import { withHeld } from '../../config/edits/held-servers.js';
import { ownEditFileOf, readOwnEdit } from '../../config/edits/own-edits.js';
import { digestOfText, removeWaiting, waitingText, writeWaiting } from '../../config/edits/waiting-edits.js';
import { readTextFile } from '../../config/files/text-file.js';
import type { Configuration } from '../../config/read/configuration.js';
import { messageOf } from '../../contract/errors.js';
import { maxConfigBytes } from '../../limits.js';
import type { Log } from '../../platform/log.js';
import { printableLine } from '../../text/printable.js';
import { type AskedEdit, canBeAsked, createEditGate } from './edit-gate.js';
import { type KnownServers, learnServers } from './known-servers.js';
import type { LiveConfiguration } from './live-configuration.js';
import { type WeighedEdit, weighEdit } from './weigh-edit.js';
import { weighFix } from './weigh-fix.js';

/** The user's directories. */
interface Place {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly home: string;
}

/** Edits of the configuration of a running session: what loosens a rule waits until a person has agreed to it. */
export interface Edits {
  /** Takes an edit as far as it needs no approval. `isLocal`: its file is used only because it is trusted. */
  take(next: Configuration, isLocal: boolean): Promise<void>;
  /** Takes the waiting edit, if it has been approved by now. */
  review(): void;
  /** The files that an agreement is found in. */
  files(): readonly string[];
  /** For the agent: what was applied without a question. */
  readonly note: string | undefined;
}

interface Waiting extends AskedEdit {
  readonly next: Configuration;
  /** Of what it changes. */
  readonly digest: string;
}

const unasked =
  'The configuration was edited, and this was applied without a question, because this client cannot ask:';
/** An agent that can write the file could ask until a person says yes; after that only `mcp-workbench reload` does. */
const mostDeclined = 2;
/** More is not read by anybody; `mcp-workbench reload` shows all of it. */
const longestQuestion = 20_000;

export function createEdits(live: LiveConfiguration, place: Place, log: Log): Edits {
  let known: KnownServers | undefined;
  /** The text that the session has started with, if it was faulty: until a person agrees, nothing is looser than it. */
  let faulty = live.firstFault;
  let waiting: Waiting | undefined;
  /** The digests of declined edits. */
  const declined = new Set<string>();
  let note: string | undefined;
  let isShown = false;
  /** An own edit counts once: what was agreed to before may have been undone for a reason. */
  let agreedUntil = performance.timeOrigin;
  /** The text of the file that was looked at last. */
  let seenText = live.current.source?.text;
  /** The same of the other files that were read for it, by path. */
  let seenFiles = textsOf(live.current.files());

  /** `earlier`: the text before it, as this session knows it. */
  function isAgreed(file: string, text: string, earlier: string | undefined): boolean {
    const own = readOwnEdit(place, file);
    if (own === undefined || own.at <= agreedUntil || !own.isOf(text)) return false;
    // A command of ours has changed what another program wrote: only a person can agree to that.
    if (!own.isFrom(earlier)) return false;
    agreedUntil = own.at;
    return true;
  }

  /** Whether a command of ours has written it. If the text is the same, another file that is read for it has changed. */
  function isOwn({ source }: Configuration, files: readonly string[]): boolean {
    if (source === undefined) return true;
    if (isAgreed(source.path, source.text, waiting === undefined ? (seenText ?? '') : undefined)) return true;
    if (source.text !== seenText || waiting !== undefined) return false;
    return [...textsOf(files)].some(([file, text]) => isAgreed(file, text, seenFiles.get(file)));
  }

  function apply(next: Configuration): void {
    if (waiting !== undefined) forget();
    log.info(`configuration: read again: ${next.overview.configFile ?? 'the embedded default'}`);
    live.take(next);
  }

  /** Whatever it says: a person has agreed to all of it. */
  function accept(next: Configuration): void {
    known = undefined;
    faulty = undefined;
    apply(next);
  }

  function forget(): void {
    waiting = undefined;
    try {
      removeWaiting(place, process.pid);
    } catch {
      // It counts for nothing once this process has ended.
    }
  }

  async function decide(edit: Waiting, isYes: boolean): Promise<void> {
    if (waiting !== edit) return;
    if (!isYes) declined.add(edit.digest);
    if (!isYes) return log.warn('configuration: the user declined the edit for this session');
    accept(edit.next);
    // Where the calls run in this process, the link takes it in the next turn.
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** The edit to ask about. */
  function asked(): Waiting | undefined {
    if (waiting === undefined || waiting.message.length > longestQuestion) return undefined;
    return declined.size >= mostDeclined || declined.has(waiting.digest) ? undefined : waiting;
  }

  /** `meanwhile`: what is served until a person agrees. */
  function wait(next: Configuration, meanwhile: Configuration, lines: readonly string[], digest: string): void {
    const file = printableLine(next.source?.path ?? '');
    const edit: Waiting = {
      next,
      digest,
      message: `The configuration file ${file} was edited while this session runs. Apply this to it?\n${lines.join('\n')}`,
      decide: (isYes) => decide(edit, isYes),
    };
    waiting = edit;
    const { session } = live;
    if (session !== undefined) live.gate ??= createEditGate(session, asked);
    log.warn(`configuration: ${waitingText(lines.length)}\n${lines.join('\n')}`);
    show(next, lines);
    live.take(meanwhile);
  }

  function show({ source }: Configuration, lines: readonly string[]): void {
    const { path = '', text = '' } = source ?? {};
    try {
      if (!isShown) process.once('exit', forget);
      isShown = true;
      writeWaiting(place, { pid: process.pid, file: path, sha256: digestOfText(text), lines });
    } catch (error) {
      log.warn(`configuration: list and reload do not show what waits: ${messageOf(error)}`);
    }
  }

  async function weigh(next: Configuration): Promise<void> {
    const canAsk = live.session !== undefined && canBeAsked(live.session.caller());
    const inUse = live.current.fault?.hasEarlier === false ? undefined : live.current;
    const current = (await inUse?.load()) ?? { ...(await next.load()), toolboxes: new Map() };
    const learned = learnServers(known, current, inUse?.file);
    const edit = { known: learned, current, next: await next.load(), file: next.file, asksAbout: () => canAsk };
    if (faulty === undefined) {
      known = learned;
      settle(next, weighEdit(edit));
    } else {
      const { fault } = live.current;
      const isAtOnce = inUse === undefined || fault?.hasWords(next.source?.text ?? '') === true;
      const how = { isFirst: fault !== undefined, isAtOnce };
      const { known: stricter, ...weighed } = await weighFix(edit, await faulty.restrict(next), how);
      known = stricter;
      settle(next, weighed);
    }
  }

  function settle(next: Configuration, { held, waiting: lines, digest, applied }: WeighedEdit): void {
    note = applied.length === 0 ? undefined : `${unasked} ${applied.map((one) => one.note).join(' | ')}`;
    if (applied.length > 0) log.warn([unasked, ...applied.map(({ line }) => line)].join('\n'));
    if (lines.length === 0) apply(next);
    else wait(next, withHeld(next, held, waitingText(lines.length)), lines, digest);
  }

  return {
    async take(next, isLocal) {
      // First: if this fails, nothing has changed.
      const { files } = await next.load();
      note = undefined;
      const isOtherText = next.source?.text !== live.current.source?.text;
      const isFix = live.current.fault !== undefined;
      if (isOwn(next, files)) accept(next);
      else if (isLocal && isOtherText && !isFix) {
        const lines = [`${printableLine(next.source?.path ?? '')}: used as it is now, because it is trusted`];
        wait(
          next,
          withHeld(live.current, live.current.held ?? new Map(), waitingText(1)),
          lines,
          digestOfText(next.source?.text ?? ''),
        );
      } else await weigh(next);
      seenText = next.source?.text;
      seenFiles = textsOf(files);
    },
    review() {
      seenFiles = textsOf(live.current.files());
      if (waiting !== undefined && isOwn(waiting.next, [])) accept(waiting.next);
    },
    files: () => (waiting?.next.source === undefined ? [] : [ownEditFileOf(place, waiting.next.source.path)]),
    get note() {
      return note;
    },
  };
}

/** A file that is not there is an empty one. */
function textsOf(files: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    files.map((file) => {
      const found = readTextFile(file, maxConfigBytes);
      return [file, found.kind === 'text' ? found.text : ''];
    }),
  );
}
