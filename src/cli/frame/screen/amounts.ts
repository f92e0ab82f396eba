const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** `1 server`, `2 servers`, `3 toolboxes`. */
export function plural(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : noun.endsWith('x') ? `${noun}es` : `${noun}s`}`;
}

/** `612`, `4.2 k`, `39 k`: tokens, as exactly as they are estimated. */
export function tokenCount(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  const thousands = tokens / 1_000;
  return `${thousands < 9.95 ? thousands.toFixed(1) : String(Math.round(thousands))} k`;
}

/** `40 s`, `12 min`, `3 h`, `5 days`. */
export function duration(ms: number): string {
  if (ms < minuteMs) return `${Math.max(0, Math.floor(ms / 1_000))} s`;
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min`;
  if (ms < 2 * dayMs) return `${Math.floor(ms / hourMs)} h`;
  return `${Math.floor(ms / dayMs)} days`;
}

/** `3.1 s`, for something that has just been waited for. */
export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `just now`, `12 min ago`. */
export function ago(at: number, now: number): string {
  return now - at < minuteMs ? 'just now' : `${duration(now - at)} ago`;
}

/** `listed just now`, `listed 12 min ago`, `known since 3 Nov`: how old a list of tools is. */
export function listedText(at: number, now: number): string {
  if (isLongAgo(at, now)) {
    const date = new Date(at);
    return `known since ${date.getDate()} ${months[date.getMonth()]}`;
  }
  return `listed ${ago(at, now)}`;
}

/** Whether a time is more than a day ago. */
export function isLongAgo(at: number, now: number): boolean {
  return now - at >= dayMs;
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
