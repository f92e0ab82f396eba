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
  /** Spawn to the first result of one server; with a cold host. Half of what is over the floor is loading the engine. */
  firstOfOne: { workbench: 1.55, shared: 1.55 },
  /** The same with ten servers that take 300 ms each. */
  firstOfTen: { workbench: 1.15, shared: 1.15 },
  /** The floors check nothing: neither names, rules, lock, sizes and limits of time, nor whether a result is well-formed. */
  call100B: { workbench: 1.25, shared: 1.35 },
  cpu100B: { workbench: 1.55 },
  /** × floor-splice in process. */
  call100KB: { workbench: 1.4, shared: 1.45 },
  call5MB: { workbench: 1.15, shared: 1.3 },
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
  /** `serve --http`: calls × bare node:http, CPU × the server of the SDK, KB of legacy sessions after each step. */
  http: {
    call100B: { legacy: 1.35, modern: 1.6 },
    call100KB: 1.25,
    cpuOfSdk: 0.4,
    perSessionKB: [10, 120, 250],
    overStdioMiB: 12,
  },
};
