import { check, fixed, table } from '../rig/report.mjs';
import { median, spread } from '../rig/statistics.mjs';
import { createWorkspace, fakeServer, interleave, systems } from '../rig/systems.mjs';

const megabyte = 1_000_000;
const sizes = [1, 8, 32, 50];
const names = ['direct', 'floor', 'workbench'];
const raisedCaps = { maxMessageBytes: 200 * megabyte, maxResultBytes: 200 * megabyte };

/** Results far above the default caps, through `use_tool` and straight from the server. */
export async function large({ quick }) {
  const workspaces = names.map(createWorkspace);
  const running = new Map(
    names.map((name, index) => [
      name,
      systems[name]({ server: { ...fakeServer(), ...raisedCaps } }, workspaces[index]),
    ]),
  );
  try {
    for (const system of running.values()) system.start();
    await Promise.all(Array.from(running.values(), (system) => system.open()));
    const rows = [];
    for (const size of sizes) rows.push(await measure(running, 'plain', size, roundsFor(size, quick)));
    for (const size of quick ? [32] : sizes) rows.push(await measure(running, 'text', size, roundsFor(size, quick)));
    return report(rows);
  } finally {
    await Promise.all(Array.from(running.values(), (system) => system.close()));
    for (const workspace of workspaces) workspace.remove();
  }
}

const roundsFor = (size, quick) => Math.max(quick ? 5 : 9, Math.round((quick ? 20 : 100) / size));

async function measure(running, pattern, size, rounds) {
  const args = { bytes: size * megabyte, pattern };
  const once = async (name) => {
    const begun = performance.now();
    const { content, isError } = await running.get(name).call('server', 'blob', args);
    const ms = performance.now() - begun;
    if (isError) throw new Error(`${name}: ${content[0].text}`);
    return ms;
  };
  // The server makes the text on the first call, and every process grows its heap to the size.
  for (const name of names) for (let warmUp = 0; warmUp < 2; warmUp++) await once(name);
  return { pattern, size, rounds, values: await interleave(names, rounds, once) };
}

function report(rows) {
  const ms = ({ values }, name) => median(values.get(name));
  const ratio = (row, name) => ms(row, name) / ms(row, 'direct');
  const find = (size) => rows.find((row) => row.pattern === 'plain' && row.size === size);
  const within = (size) => {
    const seen = ratio(find(size), 'workbench');
    return check(`${size} MB, × direct`, fixed(seen, 2), '≤ 2.0', seen <= 2);
  };
  const thirtyTwo = ms(find(32), 'workbench');
  return {
    title: 'Large results',
    parts: [
      '`plain` is text that needs no escapes in JSON; `text` has lines, quotes and letters beyond ASCII. Caps are raised.',
      table(
        rows.map((row) => ({
          content: row.pattern,
          MB: row.size,
          rounds: row.rounds,
          'direct ms': fixed(ms(row, 'direct')),
          'floor ms': fixed(ms(row, 'floor')),
          'workbench ms': fixed(ms(row, 'workbench')),
          '± ms': fixed(spread(row.values.get('workbench'))),
          'floor × direct': fixed(ratio(row, 'floor'), 2),
          'workbench × direct': fixed(ratio(row, 'workbench'), 2),
        })),
      ),
    ],
    checks: [within(32), within(50), check('32 MB, ms', fixed(thirtyTwo), '< 1000', thirtyTwo < 1000)],
  };
}
