import { atMost, fixed, table } from '../rig/report.mjs';
import { median, spread } from '../rig/statistics.mjs';
import { createSystem, fakeServer, hasBefore, manyServers, memoryServer, withSystem } from '../rig/systems.mjs';
import { interleave } from '../rig/traffic.mjs';

const systems = () => ['direct', 'floor-meta', 'workbench', ...(hasBefore() ? ['before'] : [])];
const one = { servers: 'one fake', entries: { server: fakeServer() }, call: ['server', 'echo', { text: 'hello' }] };
const real = { servers: 'server-memory', entries: { memory: memoryServer() }, call: ['memory', 'read_graph', {}] };
const ten = {
  servers: 'ten of 300 ms',
  entries: manyServers(10, fakeServer('--start-ms', 300)),
  call: ['server-7', 'echo', { text: 'hello' }],
};

/** Time until the agent has the list of tools, and until it has the first result. */
export async function start({ quick, inherit }) {
  const listed = await interleave(systems(), quick ? 7 : 31, (name) =>
    withSystem(createSystem(name, one.entries, { inherit }), async (system) => {
      const begun = performance.now();
      system.start();
      await system.list();
      return performance.now() - begun;
    }),
  );
  const first = new Map();
  for (const [variant, fewRounds] of [
    [one, 7],
    [real, 3],
    [ten, 3],
  ]) {
    const rounds = quick ? fewRounds : 21;
    first.set(variant, await interleave(systems(), rounds, (name) => firstResult(name, variant, inherit)));
  }
  return report(listed, first);
}

function firstResult(name, { entries, call }, inherit) {
  return withSystem(createSystem(name, entries, { inherit }), async (system) => {
    const begun = performance.now();
    system.start();
    await system.list();
    await system.open();
    await system.call(...call);
    return performance.now() - begun;
  });
}

function report(listed, first) {
  const ratio = (values, name, base) => median(values.get(name)) / median(values.get(base));
  const firstRatio = (variant) => ratio(first.get(variant), 'workbench', 'floor-meta');
  const row = (values, name, base) => ({
    system: name,
    rounds: values.get(name).length,
    'median ms': fixed(median(values.get(name))),
    '± ms': fixed(spread(values.get(name)), 1),
    [`× ${base}`]: fixed(ratio(values, name, base), 2),
  });
  return {
    title: 'Start',
    parts: [
      'From spawn to the answer of `tools/list`:',
      table(systems().map((name) => row(listed, name, 'floor-meta'))),
      'From spawn to the first result. `direct` connects to all servers at once; the others list their tools, open the toolbox and call one of its tools:',
      table(
        Array.from(first, ([{ servers }, values]) =>
          systems().map((name) => ({ servers, ...row(values, name, 'floor-meta') })),
        ).flat(),
      ),
    ],
    checks: [
      atMost('spawn → `tools/list`, × floor-meta', ratio(listed, 'workbench', 'floor-meta'), 1.2),
      atMost('spawn → first result, one fake server, × floor-meta', firstRatio(one), 1.25),
      atMost('spawn → first result, ten servers of 300 ms, × floor-meta', firstRatio(ten), 1.1),
    ],
  };
}
