export function median(values) {
  if (values.length === 0) return Number.NaN;
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The value that this share of them does not exceed. */
export function percentile(values, share) {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1];
}

/** Median distance from the median: how much the rounds vary. */
export function spread(values) {
  const center = median(values);
  return median(values.map((value) => Math.abs(value - center)));
}

/** Least squares: how much y grows per unit of x. */
export function slope(points) {
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / points.length;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / points.length;
  const above = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const below = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return below === 0 ? 0 : above / below;
}

/** Random numbers in [0, 1), the same for the same seed (mulberry32). */
export function createRandom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (least, most) => least + Math.floor(next() * (most - least + 1));
  const pick = (list) => list[between(0, list.length - 1)];
  return { next, between, pick };
}
