const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How long ago something was, in one unit. */
export function ageOf(time: Date, now: Date): string {
  const ms = now.getTime() - time.getTime();
  if (ms < minuteMs) return 'just now';
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min ago`;
  if (ms < 2 * dayMs) return `${Math.floor(ms / hourMs)} h ago`;
  return `${Math.floor(ms / dayMs)} days ago`;
}
