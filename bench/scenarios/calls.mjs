import { withOwnHosts } from '../rig/hosts.mjs';
import { limits, paths } from '../rig/limits.mjs';
import { atMost, fixed, table } from '../rig/report.mjs';
import { median, percentile } from '../rig/statistics.mjs';
import { fakeServer, hostNames, systemNames, whileOpen } from '../rig/systems.mjs';
import { inBlocks } from '../rig/traffic.mjs';

const sizes = [
  { size: '100 B', bytes: 100, calls: 6_000, perBlock: 50, warmUp: 3_000, floor: 'floor', limit: limits.call100B },
  { size: '100 KB', bytes: 100_000, calls: 3_000, perBlock: 50, warmUp: 500, floor: 'splice', limit: limits.call100KB },
  { size: '5 MB', bytes: 5_000_000, calls: 80, perBlock: 4, warmUp: 8, floor: 'splice', limit: limits.call5MB },
];
const names = () => [...systemNames, ...hostNames];

/** What one call at a time costs: time until its result, and CPU time of the proxy. */
export function calls({ quick, inherit }) {
  return withOwnHosts(() =>
    whileOpen(names(), { server: fakeServer() }, { inherit }, async (systems) => {
      const rows = [];
      for (const size of sizes) rows.push({ ...size, seen: await measure(systems, size, quick ? 5 : 1) });
      return report(rows);
    }),
  );
}

function measure(systems, { bytes, perBlock, ...counts }, fraction) {
  const counted = { calls: counts.calls / fraction, warmUp: counts.warmUp / fraction, perBlock };
  return inBlocks(systems, counted, (system) => system.call('server', 'blob', { bytes }));
}

/** What a system is compared with: the host with its own floor. */
function floorOf(name, kind) {
  return paths[hostNames.includes(name) ? 1 : 0][kind];
}

function report(rows) {
  const p50 = ({ seen }, name) => median(seen.get(name).ms);
  const cpu = ({ seen }, name) => seen.get(name).cpuPerCall;
  const ratio = (row, name) => p50(row, name) / p50(row, floorOf(name, row.floor));
  return {
    title: 'Calls',
    parts: [
      'One call at a time, in blocks that alternate between systems; CPU is that of the process that the client starts. `shared` is the workbench whose servers run in the host, the default; its floor is `floor-host`:',
      table(
        rows.flatMap((row) =>
          names().map((name) => ({
            result: row.size,
            system: name,
            calls: row.seen.get(name).ms.length,
            'p50 ms': fixed(p50(row, name), 3),
            'p95 ms': fixed(percentile(row.seen.get(name).ms, 0.95), 3),
            '× direct': fixed(p50(row, name) / p50(row, 'direct'), 2),
            '× its floor': fixed(ratio(row, name), 2),
            'CPU ms per call': fixed(cpu(row, name), 3),
            'CPU × floor-meta': fixed(cpu(row, name) / cpu(row, 'floor-meta'), 2),
          })),
        ),
      ),
    ],
    checks: [
      ...rows.flatMap((row) =>
        paths.map(({ path, system, ...floors }) =>
          atMost(`call ${row.size}, p50, ${path}, × ${floors[row.floor]}`, ratio(row, system), row.limit[system]),
        ),
      ),
      atMost(
        'CPU per call, 100 B, in process, × floor-meta',
        cpu(rows[0], 'workbench') / cpu(rows[0], 'floor-meta'),
        limits.cpu100B.workbench,
      ),
    ],
  };
}
