import { type Observer, silentObserver } from '../../workbench/ports/observer.js';
import { createDeferredObserver } from './deferred-observer.js';
import type { ServedSession, SessionReport, StatusServer } from './serve-status.js';

/** Makes sessions known to other processes, each after its first answer. */
export interface SessionReports {
  of(session: ServedSession): DeferredReport;
  /** Nothing more is made known. */
  close(): void;
  /** Resolves when all files are written. */
  flush(): Promise<void>;
}

export interface DeferredReport extends Pick<SessionReport, 'serve' | 'close'> {
  readonly observer: Observer;
}

/** `load`: loads the part that does it; without one, nothing is made known. */
export function createSessionReports(load: (() => Promise<StatusServer>) | undefined): SessionReports {
  let loading: Promise<StatusServer> | undefined;
  let status: StatusServer | undefined;
  let isClosed = false;
  return {
    of(given) {
      if (load === undefined) return { observer: silentObserver, serve() {}, close() {} };
      let session = given;
      let isOver = false;
      let report: SessionReport | undefined;
      const observer = createDeferredObserver(async () => {
        loading ??= load();
        const loaded = await loading;
        if (isClosed || isOver) return silentObserver;
        status = loaded;
        report = loaded.add(session);
        return report;
      });
      return {
        observer,
        serve(config) {
          session = { ...session, config };
          report?.serve(config);
        },
        close() {
          isOver = true;
          report?.close();
        },
      };
    },
    close() {
      isClosed = true;
      status?.close();
    },
    flush: async () => status?.flush(),
  };
}
