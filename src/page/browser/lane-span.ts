import type { CallRow } from '../../inspect/call-log.js';
import { recentMs } from '../../inspect/lives.js';
import type { Board } from '../messages.js';

const minuteMs = 60_000;

/** In minutes: how much lanes show, and what stands above them. */
const scales = [
  { minutes: 5, marks: [5, 4, 3, 2, 1] },
  { minutes: 15, marks: [15, 10, 5] },
  { minutes: recentMs / minuteMs, marks: [30, 20, 10] },
] as const;

export type Scale = (typeof scales)[number];

/** Lanes begin with five minutes and show more when there is more to show: in half an hour a young session would be a dot. */
export function scaleOf({ sessions, toolboxes }: Board, calls: readonly CallRow[], now: number): Scale {
  const lives = toolboxes.flatMap(({ servers }) => servers.flatMap((server) => server.lives));
  const times = [...sessions.map(({ since }) => since), ...lives.map(({ from }) => from), ...calls.map(({ at }) => at)];
  const oldest = times.reduce((first, at) => Math.min(first, at), now);
  const [shortest, longer, longest] = scales;
  return [shortest, longer].find(({ minutes }) => now - oldest <= minutes * minuteMs) ?? longest;
}
