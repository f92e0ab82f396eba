import { longestBriefReason } from '../../limits.js';
import { shorten } from '../../text/shorten.js';
import { reasonOf } from '../servers/failures.js';
import type { Supervisor } from '../servers/supervised-server.js';

/** Why servers cannot be reached, for one session: in full the first time, then only the first line. */
export interface ReportedReasons {
  /** The reason, in at most `length` characters; unless that is less than its first line may have, it counts as reported. */
  report(server: Supervisor, cause: unknown, length: number): string;
  /** The server was reached: its next failure is reported in full again. */
  forget(server: Supervisor): void;
}

export function createReportedReasons(): ReportedReasons {
  const reported = new WeakSet<Supervisor>();
  return {
    report(server, cause, length) {
      if (reported.has(server)) return shorten(firstLine(cause), Math.min(length, longestBriefReason));
      if (length >= longestBriefReason || reasonOf(cause).length <= length) reported.add(server);
      return reasonOf(cause, length);
    },
    forget: (server) => void reported.delete(server),
  };
}

/** Reasons quote the output of servers with this between its lines. */
function firstLine(cause: unknown): string {
  return reasonOf(cause).split(' | ', 1)[0] ?? '';
}
