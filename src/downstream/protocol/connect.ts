import type { Downstream } from '../../workbench/ports/downstream.js';
import { type ConnectionRequest, openConnection } from './connection.js';
import { type Attempt, conclude, firstAttempt } from './era.js';
import type { Wire } from './wire.js';

/** The era of one server as found in earlier runs. */
export interface EraRecord {
  isLegacy(): boolean;
  remember(): void;
  forget(): void;
}

/** Connects to a server in whichever era it supports. Each attempt gets a wire of its own. */
export async function connect(
  openWire: () => Promise<Wire>,
  record: EraRecord,
  request: ConnectionRequest,
): Promise<Downstream> {
  const { protocol } = request.server;
  let attempt: Attempt | undefined;
  for (;;) {
    const wire = await openWire();
    // Looked up only now: reading the record overlaps with the start of the server.
    attempt ??= firstAttempt(protocol, protocol === 'auto' && record.isLegacy());
    const outcome = await openConnection(wire, attempt.approach, request);
    const { memory, next } = conclude(attempt, outcome.finding);
    if (memory === 'remember as legacy') record.remember();
    if (memory === 'forget') record.forget();
    if (outcome.is === 'connected') return outcome.downstream;
    if (next === undefined) throw outcome.failure;
    // Two processes of one server must not overlap.
    await outcome.failure.cleanup;
    attempt = next;
  }
}
