/** The part of AbortSignal that the workbench uses. */
export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * A lightweight AbortController, made for every call: few calls are ever cancelled, and a real AbortController costs more
 * than the rest of a call.
 */
export class Cancellation implements CancelSignal {
  aborted = false;
  reason: unknown;
  // Nearly every call has one listener. Not `#first`: initializing a private field shows in the cost of a call.
  private first: (() => void) | undefined = undefined;
  private others: Set<() => void> | undefined = undefined;

  addEventListener(_: 'abort', listener: () => void): void {
    if (this.aborted) return;
    if (this.first === undefined) this.first = listener;
    else (this.others ??= new Set()).add(listener);
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    if (this.first === listener) this.first = undefined;
    else this.others?.delete(listener);
  }

  cancel(reason?: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const { first, others = [] } = this;
    this.first = undefined;
    this.others = undefined;
    first?.();
    for (const listener of others) listener();
  }
}

/** Converts to a real AbortSignal. */
export function toAbortSignal(signal: CancelSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return controller.signal;
}
