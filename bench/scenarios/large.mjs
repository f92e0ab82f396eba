import { atMost, fixed, table } from '../rig/report.mjs';
import { median, spread } from '../rig/statistics.mjs';
import { fakeServer, systemNames, whileOpen } from '../rig/systems.mjs';
import { interleave } from '../rig/traffic.mjs';

const megabyte = 1_000_000;
const sizes = [1, 8, 32, 50];
/** × direct, by megabytes. */
const limits = new Map([
  [32, 2],
  [50, 1.7],
]);
const raisedLimits = { maxMessageBytes: 200 * megabyte, maxResultBytes: 200 * megabyte };

/** Results far above the default limits, through `use_tool` and straight from the server. */
export function large({ quick, inherit }) {
  return whileOpen(systemNames, { server: { ...fakeServer(), ...raisedLimits } }, { inherit }, async (systems) => {
    const rows = [];
    for (const size of quick ? [1, 50] : sizes) rows.push(await measure(systems, 'plain', size, quick));
    for (const size of quick ? [1] : sizes) rows.push(await measure(systems, 'text', size, quick));
    return report(rows);
  });
}

async function measure(systems, pattern, size, quick) {
  const args = { bytes: size * megabyte, pattern };
  const once = async (name) => {
    const begun = performance.now();
    await systems.get(name).call('server', 'blob', args);
    return performance.now() - begun;
  };
  // The server makes the text on the first call, and every process grows its heap to the size.
  for (const name of systemNames) for (let warmUp = 0; warmUp < (quick ? 1 : 2); warmUp++) await once(name);
  const rounds = quick ? Math.max(3, Math.round(12 / size)) : Math.max(9, Math.round(100 / size));
  return { pattern, size, rounds, values: await interleave(systemNames, rounds, once) };
}

function report(rows) {
  const ms = ({ values }, name) => median(values.get(name));
  const ratio = (row, name) => ms(row, name) / ms(row, 'direct');
  const limited = rows.filter(({ pattern, size }) => pattern === 'plain' && limits.has(size));
  const perSystem = (names, suffix, value) =>
    Object.fromEntries(names.map((name) => [`${name}${suffix}`, value(name)]));
  return {
    title: 'Large results',
    parts: [
      '`plain` is text that needs no escapes in JSON; `text` has lines, quotes and non-ASCII letters. Size limits are raised; ± is that of the workbench.',
      table(
        rows.map((row) => ({
          content: row.pattern,
          MB: row.size,
          rounds: row.rounds,
          ...perSystem(systemNames, ' ms', (name) => fixed(ms(row, name))),
          '± ms': fixed(spread(row.values.get('workbench'))),
          ...perSystem(systemNames.slice(1), ' × direct', (name) => fixed(ratio(row, name), 2)),
        })),
      ),
    ],
    checks: [
      ...limited.map((row) => atMost(`call ${row.size} MB, × direct`, ratio(row, 'workbench'), limits.get(row.size))),
      ...limited
        .filter(({ size }) => size === 32)
        .map((row) => atMost('call 32 MB, ms', ms(row, 'workbench'), 1_000, 0)),
    ],
  };
}
