/**
 * The limits of the two ways to serve calls: in the session's own process, and through the host, which is the default. Factors
 * are those of medians of one run, interleaved: in process × floor-meta, through the host × floor-host, unless the row says
 * otherwise.
 */
export const paths = [
  { path: 'in process', system: 'workbench', floor: 'floor-meta', splice: 'floor-splice' },
  { path: 'through the host', system: 'shared', floor: 'floor-host', splice: 'floor-host' },
];

export const limits = {
  /** Spawn to `tools/list`, × floor-meta on both paths: no host is needed for it. */
  list: { workbench: 1.15, shared: 1.15 },
  /** Spawn to the first result of one server; with a cold host. */
  firstOfOne: { workbench: 1.25, shared: 1.25 },
  /** The same with ten servers that take 300 ms each. */
  firstOfTen: { workbench: 1.1, shared: 1.1 },
  call100B: { workbench: 1.2, shared: 1.25 },
  cpu100B: { workbench: 1.45 },
  /** × floor-splice in process. */
  call100KB: { workbench: 1.2, shared: 1.25 },
  call5MB: { workbench: 1.12, shared: 1.2 },
  /** At least. */
  rate64: { workbench: 0.85, shared: 0.75 },
  /** MiB, on Node.js 20, by the number of servers. */
  residentMiB: new Map([
    [1, 55],
    [10, 64],
    [50, 70],
  ]),
  residentAfterCallsMiB: 68,
  /** The host of 50 sessions with the same ten servers. */
  hostMiB: 120,
};
