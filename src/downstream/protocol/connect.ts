import { type Downstream, StartFailure } from '../../workbench/ports/downstream.js';
import { type ConnectionRequest, openConnection } from './connection.js';
import { type Attempt, conclude, firstAttempt } from './era.js';
import type { Wire } from './wire.js';

/** The era of one server as found in earlier runs. */
export interface EraRecord {
  isLegacy(): boolean;
  remember(): void;
  forget(): void;
  /** How the server failed in both eras, in this run. */
  knownEnding(): string | undefined;
  rememberEnding(ending: string): void;
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
    attempt ??= firstAttempt(protocol, protocol === 'auto' && record.isLegacy());
    const outcome = await openConnection(wire, attempt.approach, request);
    const ending = outcome.is === 'failed' ? endingOf(outcome.failure) : undefined;
    const isKnown = ending !== undefined && ending === record.knownEnding();
    const { memory, next } = conclude(
      attempt,
      isKnown ? { ...outcome.finding, mayDependOnEra: false } : outcome.finding,
    );
    if (memory === 'remember as legacy') record.remember();
    if (memory === 'forget') record.forget();
    if (outcome.is === 'connected') return outcome.downstream;
    if (ending !== undefined && first !== undefined && ending === endingOf(first)) record.rememberEnding(ending);
    if (next === undefined) throw reported(first, outcome.failure);
    // Two processes of one server must not overlap.
    await outcome.failure.cleanup;
    first = outcome.failure;
    attempt = next;
  }
}

/** Two failures are the same if they differ only in numbers, such as times and process ids. */
function endingOf({ kind, message }: StartFailure): string {
  return `${kind} ${message.replaceAll(/\d+/g, '0')}`;
}

/** A second attempt that takes too long says nothing; the first one did. */
function reported(first: StartFailure | undefined, last: StartFailure): StartFailure {
  return first !== undefined && last.kind === 'timeout' ? new StartFailure(first, last.cleanup) : last;
}
