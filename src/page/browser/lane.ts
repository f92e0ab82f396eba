import { html, type TemplateResult } from 'lit-html';
import { type Life, recentMs } from '../../inspect/lives.js';
import { duration, plural } from './amounts.js';
import { isFailure, type Usage } from './statistics.js';

const width = 1_800;
const height = 22;
const barAt = 19;
const tickFoot = 15;
const tallest = 13;
/** About three pixels. */
const shortest = 9;
/** A tick of this height and more stands for calls of ten seconds and more. */
const slowestMs = 10_000;

/** What a lane shows: the time from `now - ms` to `now`. */
export interface Span {
  readonly now: number;
  readonly ms: number;
}

/** The last minutes of a server: a bar while a process lived, a tick per call. */
export function lane(lives: readonly Life[], { calls, failed }: Usage, span: Span): TemplateResult {
  const { now } = span;
  const well = calls.filter((call) => !isFailure(call));
  const bad = calls.filter(isFailure);
  return html`<svg
    class="lane"
    viewBox="0 0 ${width} ${height}"
    preserveAspectRatio="none"
    role="img"
    aria-label=${summary(lives, calls.length, failed, now)}
  >
    <path class="ground" d="M0 ${barAt}H${width}" />
    <path class="bar starting" d=${bars(starts(lives, now), span, (life) => [life.from, life.ready ?? life.to ?? now])} />
    <path class="bar awake" d=${bars(lives, span, (life) => life.ready && [life.ready, life.to ?? now])} />
    <path class="tick" d=${ticks(well, span)} />
    <path class="tick failed" d=${ticks(bad, span)} />
  </svg>`;
}

/** Without those of sessions that joined a process, or started one while another was awake. */
function starts(lives: readonly Life[], now: number): readonly Life[] {
  const isAwake = ({ ready, to = now }: Life, at: number) => ready !== undefined && ready <= at && at < to;
  return lives.filter(({ from }) => !lives.some((other) => isAwake(other, from)));
}

/** From old to new, with tenths: more cannot be seen. */
function x(at: number, { now, ms }: Span): number {
  return Math.round(Math.max(0, width * (1 - (now - at) / ms)) * 10) / 10;
}

function bars(
  lives: readonly Life[],
  span: Span,
  timeOf: (life: Life) => readonly [number, number] | 0 | undefined,
): string {
  return lives
    .flatMap((life) => {
      const [from, to] = timeOf(life) || [];
      if (from === undefined || to === undefined || span.now - to > span.ms) return [];
      const right = x(to, span);
      // What took a moment can be seen as well; to the left, as nothing is after now.
      return [`M${Math.max(0, Math.min(x(from, span), right - shortest))} ${barAt}H${right}`];
    })
    .join('');
}

function ticks(calls: readonly { readonly at: number; readonly ms?: number | undefined }[], span: Span): string {
  // Of those at the same place the tallest hides the others.
  const heights = new Map<number, number>();
  for (const { at, ms = 0 } of calls) {
    const left = Math.round(x(at, span));
    heights.set(left, Math.max(heights.get(left) ?? 0, tickHeight(ms)));
  }
  return Array.from(heights, ([left, tall]) => `M${left} ${tickFoot}v-${tall}`).join('');
}

/** From 1 ms to 10 s, in steps of ten. */
function tickHeight(ms: number): number {
  const share = Math.log10(Math.min(slowestMs, Math.max(1, ms))) / Math.log10(slowestMs);
  return Math.round((3 + (tallest - 3) * share) * 10) / 10;
}

function summary(lives: readonly Life[], calls: number, failed: number, now: number): string {
  const { ms, spans } = awakeIn(lives, now);
  const awake = spans === 0 ? 'Not awake' : `Awake for ${duration(ms)} in ${plural(spans, 'span')}`;
  const failures = failed === 0 ? '' : `, ${failed} failed`;
  return `${awake} in the last 30 minutes; ${calls === 0 ? 'no calls' : `${plural(calls, 'call')}${failures}`}`;
}

/** Processes of several sessions may live at the same time. */
function awakeIn(lives: readonly Life[], now: number): { readonly ms: number; readonly spans: number } {
  const from = now - recentMs;
  const spans = lives
    .map((life) => [Math.max(life.from, from), life.to ?? now] as const)
    .filter(([, end]) => end > from)
    .sort(([one], [other]) => one - other);
  let [ms, separate, reached] = [0, 0, 0];
  for (const [start, end] of spans) {
    if (start > reached) separate++;
    ms += Math.max(0, end - Math.max(start, reached));
    reached = Math.max(reached, end);
  }
  return { ms, spans: separate };
}
