import type { CallStatus } from '../../observe/status/protocol.js';
import { printableLine } from '../../text/printable.js';
import { duration } from '../frame/screen/amounts.js';

export function callFacts({ since, ...call }: CallStatus): object {
  return { ...call, since: new Date(since).toISOString() };
}

/** `for 2 min`, and what its server reported last. */
export function callTexts({ since, progress }: CallStatus): string[] {
  const age = `for ${duration(Date.now() - since)}`;
  return progress === undefined ? [age] : [age, `"${printableLine(progress)}"`];
}
