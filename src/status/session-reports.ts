import { type Observer, silentObserver } from '../workbench/ports/observer.js';
import { createDeferredObserver } from './deferred-observer.js';
import type { ServedSession, StatusServer } from './serve-status.js';

/** Makes sessions known to other processes, each after its first answer. */
export interface SessionReports {
  /** `close`: the session is over. */
  of(session: ServedSession): { readonly observer: Observer; close(): void };
  /** Nothing more is made known. */
  close(): void;
  /** Resolves when all files are written. */
  flush(): Promise<void>;
}

/** `load`: loads the part that does it; without one, nothing is made known. */
export function createSessionReports(load: (() => Promise<StatusServer>) | undefined): SessionReports {
  let loading: Promise<StatusServer> | undefined;
  let status: StatusServer | undefined;
  let isClosed = false;
  return {
    of(session) {
      if (load === undefined) return { observer: silentObserver, close() {} };
      let isOver = false;
      let end = () => {};
      const observer = createDeferredObserver(async () => {
        loading ??= load();
        const loaded = await loading;
        if (isClosed || isOver) return silentObserver;
        status = loaded;
        const report = loaded.add(session);
        end = () => report.close();
        return report;
      });
      const close = () => {
        isOver = true;
        end();
      };
      return { observer, close };
    },
    close() {
      isClosed = true;
      status?.close();
    },
    flush: async () => status?.flush(),
  };
}
