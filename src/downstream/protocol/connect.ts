import { StartFailure } from '../../contract/downstream-failure.js';
import type { Downstream } from '../../workbench/ports/downstream.js';
import { type ConnectionRequest, openConnection } from './connection.js';
import { type Approach, type Attempt, conclude, firstAttempt } from './era.js';
import type { Wire } from './wire.js';

/** The era of one server as found in earlier runs. */
export interface EraRecord {
  isLegacy(): boolean;
  remember(): void;
  forget(): void;
  /** How the server failed in both eras, in this run. */
  knownEnding(): Ending | undefined;
  rememberEnding(ending: Ending): void;
  forgetEnding(): void;
}

export interface Ending {
  readonly text: string;
  /** How the server was addressed last. */
  readonly approach: Approach;
}

/** Connects to a server in whichever era it supports. Each attempt gets a wire of its own. */
export async function connect(
  openWire: () => Promise<Wire>,
  record: EraRecord,
  request: ConnectionRequest,
): Promise<Downstream> {
  const { protocol } = request.server;
  let attempt: Attempt | undefined;
  let first: StartFailure | undefined;
  for (;;) {
    const wire = await openWire();
    // Looked up only now: reading the record overlaps with the start of the server.
    const known = record.knownEnding();
    attempt ??= firstAttempt(
      protocol,
      protocol === 'auto' && (known ? known.approach !== 'legacy' : record.isLegacy()),
    );
    const outcome = await openConnection(wire, attempt.approach, request);
    const ending = outcome.is === 'failed' ? endingOf(outcome.failure) : undefined;
    const isKnown = ending !== undefined && ending === known?.text;
    const { memory, next } = conclude(
      attempt,
      isKnown ? { ...outcome.finding, mayDependOnEra: false } : outcome.finding,
    );
    // Which era a server supports that was addressed in turn is not known yet.
    if (memory === 'remember as legacy' && known === undefined) record.remember();
    if (memory === 'forget') record.forget();
    if (outcome.is === 'connected') {
      record.forgetEnding();
      return outcome.downstream;
    }
    const isSame = first !== undefined && ending === endingOf(first);
    // The next start is in the other era: the cause may be gone, and the server may exit just so in this one.
    if (ending !== undefined && (isKnown || isSame))
      record.rememberEnding({ text: ending, approach: attempt.approach });
    if (next === undefined) throw reported(first, outcome.failure);
    // Two processes of one server must not overlap.
    await outcome.failure.cleanup;
    first = outcome.failure;
    attempt = next;
  }
}

/** Two failures are the same if they differ only in words with digits, such as times, process ids and random names. */
function endingOf({ kind, message }: StartFailure): string {
  return `${kind} ${message.replaceAll(/\w+/g, (word) => (/\d/.test(word) ? '0' : word))}`;
}

/** A second attempt that takes too long says nothing; the first one did. */
function reported(first: StartFailure | undefined, last: StartFailure): StartFailure {
  return first !== undefined && last.kind === 'timeout' ? new StartFailure(first, last.cleanup) : last;
}
