import { DownstreamFailure } from '../../contract/downstream-failure.js';
import { NotStarted, type Supervisor } from './supervised-server.js';
import { StillWaiting } from './within.js';

/** How a server ends whose entry has changed or is gone: what has been sent is waited for, the rest goes to its successor. */
export interface Retirement {
  /** Resolves when nothing uses the server any more. */
  begin(successor: (() => Supervisor) | undefined): Promise<void>;
  /** Why the server is not started any more. Undefined before the beginning. */
  refusal(): DownstreamFailure | undefined;
  /** To be called when a call has ended. */
  check(): void;
  /** Nothing is waited for any more. */
  end(): void;
  /** The server that a failed call can still go to, because it was not sent. Throws the error if there is none. */
  successorAfter(error: unknown): Supervisor;
  /** Counts work other than calls as a use of the server, and repeats it with the successor if it fails because of the change. */
  whileUsed<T>(work: () => Promise<T>, forward: (successor: Supervisor) => Promise<T>): Promise<T>;
}

/** `isIdle`: whether no call runs or waits. */
export function createRetirement(isIdle: () => boolean): Retirement {
  let begun: { readonly successor: (() => Supervisor) | undefined; readonly refusal: DownstreamFailure } | undefined;
  let uses = 0;
  let resolveUnused = () => {};

  function check(): void {
    if (begun !== undefined && uses === 0 && isIdle()) resolveUnused();
  }

  return {
    begin(successor) {
      const what =
        successor === undefined ? 'is not in the configuration any more' : 'has changed in the configuration';
      begun = { successor, refusal: new DownstreamFailure('unreachable', `it ${what}`) };
      const unused = new Promise<void>((resolve) => {
        resolveUnused = resolve;
      });
      check();
      return unused;
    },
    refusal: () => begun?.refusal,
    check,
    end: () => resolveUnused(),
    successorAfter(error) {
      const isUnsent = error instanceof NotStarted && !(error.cause instanceof StillWaiting);
      if (begun?.successor === undefined || !isUnsent) throw error;
      return begun.successor();
    },
    async whileUsed(work, forward) {
      let successor: Supervisor;
      uses++;
      try {
        return await work();
      } catch (error) {
        if (begun?.successor === undefined || error instanceof StillWaiting) throw error;
        successor = begun.successor();
      } finally {
        uses--;
        check();
      }
      return forward(successor);
    },
  };
}
