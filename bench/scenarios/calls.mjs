import { atMost, fixed, table } from '../rig/report.mjs';
import { median, percentile } from '../rig/statistics.mjs';
import { fakeServer, systemNames, whileOpen } from '../rig/systems.mjs';
import { inBlocks } from '../rig/traffic.mjs';

const sizes = [
  { size: '100 B', bytes: 100, calls: 6_000, perBlock: 50, warmUp: 3_000, floor: 'floor-meta', limit: 1.25 },
  { size: '100 KB', bytes: 100_000, calls: 3_000, perBlock: 50, warmUp: 500, floor: 'floor-splice', limit: 1.25 },
  { size: '5 MB', bytes: 5_000_000, calls: 80, perBlock: 4, warmUp: 8, floor: 'floor-splice', limit: 1.12 },
];

/** What one call at a time costs: time until its result, and CPU time of the proxy. */
export function calls({ quick, inherit }) {
  return whileOpen(systemNames, { server: fakeServer() }, { inherit }, async (systems) => {
    const rows = [];
    for (const size of sizes) rows.push({ ...size, seen: await measure(systems, size, quick ? 5 : 1) });
    return report(rows);
  });
}

function measure(systems, { bytes, perBlock, ...counts }, fraction) {
  const counted = { calls: counts.calls / fraction, warmUp: counts.warmUp / fraction, perBlock };
  return inBlocks(systems, counted, (system) => system.call('server', 'blob', { bytes }));
}

function report(rows) {
  const p50 = ({ seen }, name) => median(seen.get(name).ms);
  const cpu = ({ seen }, name) => seen.get(name).cpuPerCall;
  return {
    title: 'Calls',
    parts: [
      'One call at a time, in blocks that alternate between systems; CPU is that of the proxy:',
      table(
        rows.flatMap((row) =>
          systemNames.map((name) => ({
            result: row.size,
            system: name,
            calls: row.seen.get(name).ms.length,
            'p50 ms': fixed(p50(row, name), 3),
            'p95 ms': fixed(percentile(row.seen.get(name).ms, 0.95), 3),
            '× direct': fixed(p50(row, name) / p50(row, 'direct'), 2),
            '× its floor': fixed(p50(row, name) / p50(row, row.floor), 2),
            'CPU ms per call': fixed(cpu(row, name), 3),
            'CPU × floor-meta': fixed(cpu(row, name) / cpu(row, 'floor-meta'), 2),
          })),
        ),
      ),
    ],
    checks: [
      ...rows.map((row) =>
        atMost(`call ${row.size}, p50, × ${row.floor}`, p50(row, 'workbench') / p50(row, row.floor), row.limit),
      ),
      atMost('CPU per call, 100 B, × floor-meta', cpu(rows[0], 'workbench') / cpu(rows[0], 'floor-meta'), 1.5),
    ],
  };
}
