import type { Configuration } from '../../config/read/configuration.js';

/** The configuration that a session follows. */
export interface LiveConfiguration {
  /** The one in use. */
  readonly current: Configuration;
  /** A line for the agent: why a newer one cannot be used. */
  readonly note: string | undefined;
  take(next: Configuration): void;
  setNote(text: string | undefined): void;
  /** Gets every change. */
  listener?: { readonly taken: (next: Configuration) => void; readonly noted: (text: string | undefined) => void };
  /** Whether calls are served by it: then other files were read as well. */
  readonly isServed: boolean;
  serve(): void;
  onserve?: () => void;
}

export function createLiveConfiguration(first: Configuration): LiveConfiguration {
  let current = first;
  let note: string | undefined;
  let isServed = false;
  const live: LiveConfiguration = {
    get current() {
      return current;
    },
    get note() {
      return note;
    },
    get isServed() {
      return isServed;
    },
    serve() {
      isServed = true;
      live.onserve?.();
    },
    take(next) {
      current = next;
      live.listener?.taken(next);
    },
    setNote(text) {
      note = text;
      live.listener?.noted(text);
    },
  };
  return live;
}
