const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** `612`, `4.2 k`, `39 k`, `1.2 M`. */
export function count(number: number): string {
  if (number < 999.5) return String(Math.round(number));
  const [value, unit] = number < 999_500 ? [number / 1_000, 'k'] : [number / 1_000_000, 'M'];
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** `0.9 k`, `4.2 k`, `24.2 k`: a column of tokens has one unit. */
export function kilo(number: number): string {
  return number > 0 && number < 50 ? '<0.1 k' : `${(number / 1_000).toFixed(1)} k`;
}

/** `96 MB`, `1.2 GB`. */
export function megabytes(bytes: number): string {
  const value = bytes / 1_048_576;
  return value < 1_000 ? `${Math.max(1, Math.round(value))} MB` : `${(value / 1_024).toFixed(1)} GB`;
}

/** `0.1 kB`, `12.0 kB`: a column of sizes has one unit. */
export function kilobytes(bytes: number | undefined): string {
  if (bytes === undefined) return '–';
  const value = bytes / 1_000;
  return value < 0.05 ? '<0.1 kB' : `${value < 1_000 ? value.toFixed(1) : Math.round(value)} kB`;
}

/** `26 ms`, `5.7 s`, `2.0 min`. */
export function took(ms: number | undefined): string {
  if (ms === undefined) return '–';
  if (ms < 999.5) return `${ms < 9.95 ? ms.toFixed(1) : Math.round(ms)} ms`;
  return ms < 99_950 ? `${(ms / 1_000).toFixed(1)} s` : `${(ms / minute).toFixed(1)} min`;
}

/** `40 s`, `12 min`, `3 h`, `5 days`. */
export function duration(ms: number): string {
  if (ms < minute) return `${Math.max(0, Math.floor(ms / 1_000))} s`;
  if (ms < hour) return `${Math.floor(ms / minute)} min`;
  return ms < 2 * day ? `${Math.floor(ms / hour)} h` : `${Math.floor(ms / day)} days`;
}

export function ago(at: number, now: number): string {
  return now - at < 5_000 ? 'just now' : `${duration(now - at)} ago`;
}

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  // Not `hour12: false`: in some languages midnight is 24:00 then.
  hourCycle: 'h23',
});
const calendar = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** In local time: `04:36:51`, or `3 Nov 04:36:51` if it was on another day. */
export function timeText(at: number, now: number): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString();
  return isToday ? clock.format(at) : `${calendar.format(at)} ${clock.format(at)}`;
}

/** `1 server`, `2 servers`. */
export function plural(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : noun.endsWith('x') ? 'es' : 's'}`;
}
