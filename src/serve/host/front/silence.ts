import { silentHostLimitMs, silentHostMs, stalledHostLimitMs } from '../limits.js';

const tickMs = 1_000;

interface Waiting {
  readonly isWaiting: () => boolean;
  /** Whether a sign of life would be heard: nothing is read from the host while the agent reads nothing. */
  readonly isListening: () => boolean;
  /** Asks for a sign of life. */
  readonly ask: () => void;
  /** For how many ms the host says it has been too busy to answer; undefined if it does not say. */
  readonly stalledMs: () => number | undefined;
  /** None has come, or the host has been busy for too long. */
  readonly onSilence: () => void;
}

/**
 * Notices a host that is there and does nothing, e.g. because it was stopped. Ticks are counted, not the clock: a computer that was
 * asleep has made none.
 */
export function watchSilence({ isWaiting, isListening, ask, stalledMs, onSilence }: Waiting) {
  let timer: NodeJS.Timeout | undefined;
  let silentMs = 0;
  /** Since the last sign of life, which need not be an answer. */
  let lifelessMs = 0;
  let lastStalledMs: number | undefined;

  function tick(): void {
    if (!isWaiting()) {
      end();
      return;
    }
    if (!isListening()) {
      heard();
      return;
    }
    silentMs += tickMs;
    lifelessMs += tickMs;
    if (silentMs === silentHostMs) ask();
    const stalled = silentMs > silentHostMs ? stalledMs() : undefined;
    // A value that it wrote before it was stopped is no sign of life.
    const isNew = stalled !== undefined && stalled !== lastStalledMs;
    lastStalledMs = stalled;
    if (isNew) lifelessMs = 0;
    if (lifelessMs >= silentHostLimitMs || (isNew && stalled > stalledHostLimitMs)) onSilence();
  }

  function heard(): void {
    silentMs = 0;
    lifelessMs = 0;
  }

  function end(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    /** From now on something is expected. */
    wait(): void {
      if (timer !== undefined) return;
      heard();
      timer = setInterval(tick, tickMs).unref();
    },
    heard,
    end,
  };
}
