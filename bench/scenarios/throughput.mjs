import { atLeast, fixed, table } from '../rig/report.mjs';
import { median } from '../rig/statistics.mjs';
import { fakeServer, systemNames, whileOpen } from '../rig/systems.mjs';
import { interleave, rateOf } from '../rig/traffic.mjs';

const levels = [1, 16, 64, 256];
const callsPerRound = (inFlight) => (inFlight === 1 ? 500 : 2_000);

/** Calls per second, with a fixed number in flight. */
export function throughput({ quick, inherit }) {
  return whileOpen(systemNames, { server: fakeServer() }, { inherit }, async (systems) => {
    const rate = (name, inFlight) =>
      rateOf(callsPerRound(inFlight), inFlight, () => systems.get(name).call('server', 'blob', { bytes: 100 }));
    for (const name of systemNames) for (let warmUp = 0; warmUp < 2; warmUp++) await rate(name, 64);
    const rows = [];
    for (const inFlight of levels)
      rows.push({ inFlight, rates: await interleave(systemNames, quick ? 3 : 15, (name) => rate(name, inFlight)) });
    return report(rows);
  });
}

function report(rows) {
  const rate = ({ rates }, name) => median(rates.get(name));
  const ratio = (row) => rate(row, 'workbench') / rate(row, 'floor-meta');
  return {
    title: 'Throughput',
    parts: [
      `Calls per second with results of 100 B, medians of ${rows[0].rates.get('direct').length} rounds:`,
      table(
        rows.map((row) => ({
          'in flight': row.inFlight,
          ...Object.fromEntries(systemNames.map((name) => [name, fixed(rate(row, name))])),
          'workbench × floor-meta': fixed(ratio(row), 2),
        })),
      ),
    ],
    checks: [atLeast('calls/s, 64 in flight, × floor-meta', ratio(rows.find(({ inFlight }) => inFlight === 64)), 0.75)],
  };
}
