import { silentHostLimitMs, silentHostMs } from '../../../limits.js';

const tickMs = 1_000;

interface Waiting {
  readonly isWaiting: () => boolean;
  /** Whether a sign of life would be heard: nothing is read from the host while the agent reads nothing. */
  readonly isListening: () => boolean;
  /** Asks for a sign of life. */
  readonly ask: () => void;
  /** None has come. */
  readonly onSilence: () => void;
}

/**
 * Notices a host that is there and does nothing, e.g. because it was stopped. Ticks are counted, not the clock: a computer that was
 * asleep has made none.
 */
export function watchSilence({ isWaiting, isListening, ask, onSilence }: Waiting) {
  let timer: NodeJS.Timeout | undefined;
  let silentMs = 0;

  function tick(): void {
    if (!isWaiting()) {
      end();
      return;
    }
    silentMs = isListening() ? silentMs + tickMs : 0;
    if (silentMs === silentHostMs) ask();
    if (silentMs >= silentHostLimitMs) onSilence();
  }

  function end(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    /** From now on something is expected. */
    wait(): void {
      if (timer !== undefined) return;
      silentMs = 0;
      timer = setInterval(tick, tickMs).unref();
    },
    heard(): void {
      silentMs = 0;
    },
    end,
  };
}
