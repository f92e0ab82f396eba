type OnResult<T, R> = ((result: T) => R | PromiseLike<R>) | null | undefined;
type OnFailure<R> = ((error: unknown) => R | PromiseLike<R>) | null | undefined;

/**
 * What a call returns: a promise for one listener, which is called as soon as there is an outcome and not in a microtask of its
 * own. A call passes through five of them, and a microtask each would be a tenth of what it costs.
 */
export class Reply<T> implements PromiseLike<T> {
  private state: 'open' | 'done' | 'failed' = 'open';
  private outcome: unknown = undefined;
  private listener: Listener | undefined = undefined;

  /** With a result, or with that of other work. */
  resolve(result: T | PromiseLike<T>): void {
    if (!isPromiseLike(result)) this.settle('done', result);
    else
      result.then(
        (other) => this.settle('done', other),
        (error: unknown) => this.settle('failed', error),
      );
  }

  reject(error: unknown): void {
    this.settle('failed', error);
  }

  // oxlint-disable-next-line unicorn/no-thenable -- meant: where a call has to wait for something else anyway, it is awaited
  then<R = T, F = never>(onResult?: OnResult<T, R>, onFailure?: OnFailure<F>): Reply<R | F> {
    if (this.listener !== undefined) throw new Error('a reply has one listener');
    const next = new Reply<R | F>();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the outcome of a reply that is done is its result
    const listener: Listener = { next, onResult: onResult as Listener['onResult'], onFailure };
    this.listener = listener;
    if (this.state !== 'open') this.notify(listener);
    return next;
  }

  private settle(state: 'done' | 'failed', outcome: unknown): void {
    if (this.state !== 'open') return;
    this.state = state;
    this.outcome = outcome;
    if (this.listener !== undefined) this.notify(this.listener);
  }

  private notify({ next, onResult, onFailure }: Listener): void {
    const { state, outcome } = this;
    const listen = state === 'done' ? onResult : onFailure;
    if (typeof listen !== 'function') {
      next.settle(state === 'done' ? state : 'failed', outcome);
      return;
    }
    let result: unknown;
    try {
      result = listen(outcome);
    } catch (error) {
      next.reject(error);
      return;
    }
    next.resolve(result);
  }
}

interface Listener {
  readonly next: Reply<unknown>;
  readonly onResult: OnResult<unknown, unknown>;
  readonly onFailure: OnFailure<unknown>;
}

/** Begins a call. What it throws is its outcome, as with an async function. */
export function begin<T>(call: () => PromiseLike<T>): PromiseLike<T> {
  try {
    return call();
  } catch (error) {
    return rejected(error);
  }
}

/** The same outcome, once this has been done after it. */
export function afterwards<T>(call: PromiseLike<T>, clean: () => void): PromiseLike<T> {
  return call.then(
    (result) => {
      clean();
      return result;
    },
    (error: unknown) => {
      clean();
      throw error;
    },
  );
}

export function rejected<T>(error: unknown): Reply<T> {
  const reply = new Reply<T>();
  reply.reject(error);
  return reply;
}

/** Values of JSON have no functions, so no result of a server passes for one. */
function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
