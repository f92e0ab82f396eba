import { atLeast, atMost, check } from '../rig/report.mjs';
import { median } from '../rig/statistics.mjs';

/** Median of the last fifth of the soak, less that of the fifth before: in both, the same process serves, with all servers. */
function grown(samples, what) {
  const [before, after] = [
    [0.6, 0.8],
    [0.8, 1],
  ].map(([from, to]) => median(samples.filter(({ at }) => at >= from && at < to).map((one) => one[what])));
  return after - before;
}

export function verdict({ counts, samples, left, exit, restarts }) {
  const { healthy, failed, crossed, lost } = counts;
  return [
    atLeast('calls of the healthy server that succeeded, %', ((healthy - failed) / healthy) * 100, 99.9, 3),
    atMost('answers of another call, or of another user’s server', crossed, 0, 0),
    check('calls lost with the service', String(lost), `${restarts} restarts`, true),
    atMost('descriptors of the service, last fifth, more', grown(samples, 'descriptors'), 15, 0),
    atMost('processes of servers, last fifth, more', grown(samples, 'processes'), 3, 0),
    atMost('memory of the service, last fifth, more, MiB', grown(samples, 'resident'), 20, 1),
    atMost('exit code of the service', exit, 0, 0),
    atMost('processes left after 15 s', left.length, 0, 0),
  ];
}
