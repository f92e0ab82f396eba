import { messageOf } from '../contract/errors.js';
import { createLimitedLog } from '../platform/limited-log.js';
import type { Log } from '../platform/log.js';
import type { ObservedSession, SessionEvent, Sink } from './events.js';

/** A sink that is loaded when it is needed: no agent should wait for it. */
export interface SinkPart {
  readonly name: string;
  /**
   * It is loaded only when the first call has been answered, or takes long, and misses what it has no room for, without a word. One that
   * may not lose events is loaded with the first of them, and what it misses all the same is a warning.
   */
  readonly mayLose: boolean;
  readonly load: () => Promise<Sink>;
}

/** Passes every event of every session on to every sink. A sink that fails or is slow delays no other. */
export interface FanOut {
  /** Gets the events of one session. */
  of(session: ObservedSession): { report(event: SessionEvent): void };
  /** The process is about to end. Events may still follow; a sink that may lose them is no longer loaded. */
  close(): void;
  /** Resolves when every sink has written what it got. */
  flush(): Promise<void>;
}

// After the first answer, and after what the client sends in response to it.
const loadDelayMs = 100;
/** The first call may take long, and others want to see it. */
const longestWithoutAnswerMs = 1_000;
/** Events that wait for a sink that is not loaded yet, or that takes no more for now. */
const maxWaiting = 2_000;
const maxWaitingUnlost = 100_000;

export function createFanOut(parts: readonly SinkPart[], log: Log): FanOut {
  const channels = parts.map((part) => createChannel(part, log));
  return {
    of: (session) => ({
      report(event) {
        for (const channel of channels) channel.take(session, event);
      },
    }),
    close() {
      for (const channel of channels) channel.close();
    },
    flush: async () => void (await Promise.all(channels.map((channel) => channel.flush()))),
  };
}

/** Stands for a sink that may not be loaded yet, and that may be slow or fail. */
function createChannel({ name, mayLose, load }: SinkPart, log: Log) {
  const most = mayLose ? maxWaiting : maxWaitingUnlost;
  let sink: Sink | undefined;
  let isLoading = false;
  let later: NodeJS.Timeout | undefined;
  /** Why nothing more is passed on. */
  let refusal: string | undefined;
  let waiting: (readonly [ObservedSession, SessionEvent])[] = [];
  /** Set while events wait; what comes next waits as well, so that their order stays. */
  let working: Promise<void> | undefined;
  const warnings = createLimitedLog((text) => log.warn(`${name}: ${text}`));

  function lose(why: string): void {
    if (!mayLose) warnings.write(why, `an event is lost: ${why}`);
  }

  function keep(session: ObservedSession, event: SessionEvent): void {
    if (waiting.length < most) waiting.push([session, event]);
    else lose(`${most} others wait`);
    if (sink !== undefined || isLoading) return;
    if (mayLose && !isAnswer(event)) {
      later ??= setTimeout(begin, longestWithoutAnswerMs).unref();
      return;
    }
    isLoading = true;
    if (mayLose) setTimeout(begin, loadDelayMs).unref();
    else begin();
  }

  function begin(): void {
    clearTimeout(later);
    if (refusal !== undefined || working !== undefined || sink !== undefined) return;
    isLoading = true;
    working = work(true);
  }

  async function work(isFirst: boolean): Promise<void> {
    try {
      if (isFirst) sink = await load();
      // The process may end before that.
      while (waiting.length > 0) {
        const batch = refusal === undefined ? waiting : [];
        waiting = [];
        for (const [session, event] of batch) await offer(session, event);
      }
    } catch (error) {
      const reason = messageOf(error);
      refusal = reason;
      for (const _ of waiting) lose(reason);
    }
    waiting = [];
    working = undefined;
  }

  async function offer(session: ObservedSession, event: SessionEvent): Promise<void> {
    try {
      await sink?.take(session, event);
    } catch (error) {
      lose(messageOf(error));
    }
  }

  return {
    take(session: ObservedSession, event: SessionEvent): void {
      if (refusal !== undefined) {
        lose(refusal);
        return;
      }
      if (sink === undefined || working !== undefined) {
        keep(session, event);
        return;
      }
      try {
        const taking = sink.take(session, event);
        if (taking !== undefined)
          working = taking.catch((error: unknown) => lose(messageOf(error))).then(() => work(false));
      } catch (error) {
        lose(messageOf(error));
      }
    },
    close(): void {
      if (mayLose && sink === undefined) refusal = 'the process ends';
      sink?.close();
    },
    async flush(): Promise<void> {
      await working;
      await sink?.flush();
    },
  };
}

function isAnswer({ is }: SessionEvent): boolean {
  return is === 'opened' || is === 'called' || is === 'refused';
}
