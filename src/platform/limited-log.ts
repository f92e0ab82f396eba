import { maxWarningsPerMinute } from '../limits.js';

const minuteMs = 60_000;

/** Writes a few texts of each kind per minute, and then how many more there were: a server must not fill a log. */
export interface LimitedLog {
  write(kind: string, text: string): void;
  /** Writes the numbers that are still due. */
  end(): void;
}

export function createLimitedLog(write: (text: string) => void): LimitedLog {
  const counts = new Map<string, { count: number; last: string }>();
  let timer: NodeJS.Timeout | undefined;

  function end(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const { count, last } of counts.values()) {
      if (count > maxWarningsPerMinute) write(`${count - maxWarningsPerMinute} more like this: ${last}`);
    }
    counts.clear();
  }

  return {
    write(kind, text) {
      const count = (counts.get(kind)?.count ?? 0) + 1;
      counts.set(kind, { count, last: text });
      if (count <= maxWarningsPerMinute) write(text);
      timer ??= setTimeout(end, minuteMs).unref();
    },
    end,
  };
}
