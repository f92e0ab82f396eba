import { messageOf } from '../contract/errors.js';
import { failureFrom, type RpcMessage } from '../jsonrpc/messages.js';
import type { Log } from '../platform/log.js';
import type { OpenLink, Pending, SessionLink } from './link.js';

/**
 * Opens the real link with the first call: a client waits at start-up for its first responses, and those do not need it. Calls that
 * arrive until it is open are queued in order. A link that was lost is replaced with the next call. `onOpen`: before these calls.
 */
export function createLazyLink(
  open: OpenLink,
  send: (message: RpcMessage) => void,
  log: Log,
  onOpen: (link: SessionLink) => void = () => {},
): SessionLink {
  let link: SessionLink | undefined;
  let isOpening = false;
  let isClosed = false;
  let waiting: Pending[] = [];

  function wait(pending: Pending): void {
    waiting.push(pending);
    if (isOpening) return;
    isOpening = true;
    open(lost).then(begin, fail);
  }

  function begin(opened: SessionLink): void {
    isOpening = false;
    if (isClosed) {
      void opened.close();
      return;
    }
    link = opened;
    onOpen(opened);
    for (const { request, caller, line } of waiting.splice(0)) opened.start(request, caller, line);
  }

  /** The next call tries again: a missing part may exist by then. */
  function fail(error: unknown): void {
    isOpening = false;
    log.error(messageOf(error));
    for (const { request } of waiting.splice(0)) send(failureFrom(request.id, error));
  }

  function lost(unsent: readonly Pending[]): void {
    link = undefined;
    for (const pending of unsent) wait(pending);
  }

  return {
    start(request, caller, line) {
      if (link === undefined) wait({ request, caller, line });
      else link.start(request, caller, line);
    },
    cancel(requestId) {
      if (link === undefined) waiting = waiting.filter(({ request }) => request.id !== requestId);
      else link.cancel(requestId);
    },
    follow: (requestId, token) => link?.follow?.(requestId, token),
    shown: (requestId, chars) => link?.shown?.(requestId, chars),
    answered(message) {
      if (link === undefined) log.warn('agent: ignored a response: no request is pending');
      else link.answered(message);
    },
    // Before the first call no server has asked for them.
    rootsChanged: () => link?.rootsChanged(),
    apply: (configuration) => link?.apply(configuration),
    note: (text) => link?.note(text),
    async close() {
      isClosed = true;
      waiting = [];
      await link?.close();
    },
  };
}
