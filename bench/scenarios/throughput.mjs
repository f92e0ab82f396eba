import { withOwnHosts } from '../rig/hosts.mjs';
import { limits, paths } from '../rig/limits.mjs';
import { atLeast, fixed, table } from '../rig/report.mjs';
import { median } from '../rig/statistics.mjs';
import { fakeServer, hostNames, systemNames, whileOpen } from '../rig/systems.mjs';
import { interleave, rateOf } from '../rig/traffic.mjs';

const levels = [1, 16, 64, 256];
const callsPerRound = (inFlight) => (inFlight === 1 ? 500 : 2_000);
const names = () => [...systemNames, ...hostNames];

/** Calls per second, with a fixed number in flight. */
export function throughput({ quick, inherit }) {
  return withOwnHosts(() =>
    whileOpen(names(), { server: fakeServer() }, { inherit }, async (systems) => {
      const rate = (name, inFlight) =>
        rateOf(callsPerRound(inFlight), inFlight, () => systems.get(name).call('server', 'blob', { bytes: 100 }));
      for (const name of names()) for (let warmUp = 0; warmUp < 2; warmUp++) await rate(name, 64);
      const rows = [];
      for (const inFlight of levels)
        rows.push({ inFlight, rates: await interleave(names(), quick ? 3 : 15, (name) => rate(name, inFlight)) });
      return report(rows);
    }),
  );
}

function report(rows) {
  const rate = ({ rates }, name) => median(rates.get(name));
  const ratio = (row, { system, floor }) => rate(row, system) / rate(row, floor);
  const row64 = rows.find(({ inFlight }) => inFlight === 64);
  return {
    title: 'Throughput',
    parts: [
      `Calls per second with results of 100 B, medians of ${rows[0].rates.get('direct').length} rounds:`,
      table(
        rows.map((row) => ({
          'in flight': row.inFlight,
          ...Object.fromEntries(names().map((name) => [name, fixed(rate(row, name))])),
          ...Object.fromEntries(paths.map((path) => [`${path.system} × ${path.floor}`, fixed(ratio(row, path), 2)])),
        })),
      ),
    ],
    checks: paths.map((path) =>
      atLeast(`calls/s, 64 in flight, ${path.path}, × ${path.floor}`, ratio(row64, path), limits.rate64[path.system]),
    ),
  };
}
