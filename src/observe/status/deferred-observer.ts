import { type Observer, silentObserver } from '../../workbench/ports/observer.js';

// After the first answer, and after what the client sends in response to it.
const delayMs = 100;
/** Reports of a session that no part is loaded for yet. */
const maxWaiting = 2_000;

/**
 * Keeps what a workbench reports until the first `open_toolbox` or `use_tool` has been answered, then loads the observer:
 * it is a part, and no agent should wait for it. Without the part reports are dropped.
 */
export function createDeferredObserver(load: () => Promise<Observer>): Observer {
  let loaded: Observer | undefined;
  let isLoading = false;
  let waiting: ((observer: Observer) => void)[] = [];

  function keep(report: (observer: Observer) => void, isAnswer: boolean): void {
    if (waiting.length < maxWaiting) waiting.push(report);
    if (!isAnswer || isLoading) return;
    isLoading = true;
    setTimeout(() => void load().then(begin, () => begin(silentObserver)), delayMs).unref();
  }

  function begin(observer: Observer): void {
    loaded = observer;
    for (const report of waiting) report(observer);
    waiting = [];
  }

  const pass = (report: (observer: Observer) => void, isAnswer = true) =>
    loaded === undefined ? keep(report, isAnswer) : report(loaded);

  return {
    server: (server, event) => pass((observer) => observer.server(server, event), false),
    opened: (event) => pass((observer) => observer.opened(event)),
    called: (event) => pass((observer) => observer.called(event)),
    refused: (event) => pass((observer) => observer.refused(event)),
  };
}
