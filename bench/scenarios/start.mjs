import { endHosts, withOwnHosts } from '../rig/hosts.mjs';
import { limits, paths } from '../rig/limits.mjs';
import { atMost, fixed, table } from '../rig/report.mjs';
import { median, spread } from '../rig/statistics.mjs';
import {
  createSystem,
  fakeServer,
  hasBefore,
  hostNames,
  manyServers,
  memoryServer,
  withSystem,
} from '../rig/systems.mjs';
import { interleave } from '../rig/traffic.mjs';

const systems = () => ['direct', 'floor-meta', 'workbench', ...(hasBefore() ? ['before'] : []), ...hostNames];
const one = { servers: 'one fake', entries: { server: fakeServer() }, call: ['server', 'echo', { text: 'hello' }] };
const real = { servers: 'server-memory', entries: { memory: memoryServer() }, call: ['memory', 'read_graph', {}] };
const ten = {
  servers: 'ten of 300 ms',
  entries: manyServers(10, fakeServer('--start-ms', 300)),
  call: ['server-7', 'echo', { text: 'hello' }],
};

/** Time until the agent has the list of tools, and until it has the first result. */
export function start(options) {
  return withOwnHosts(() => measure(options));
}

async function measure({ quick, inherit }) {
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

/** Each time without a host: a session that finds one has less to do. */
async function firstResult(name, { entries, call }, inherit) {
  if (name === 'shared') await endHosts();
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
  const firstChecks = (what, values, limit) =>
    paths.map(({ path, system, floor }) =>
      atMost(`spawn → first result, ${what}, ${path}, × ${floor}`, ratio(values, system, floor), limit[system]),
    );
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
      'From spawn to the first result. `direct` connects to all servers at once; the others list their tools, open the toolbox and call one of its tools; `shared` starts its host:',
      table(
        Array.from(first, ([{ servers }, values]) =>
          systems().map((name) => ({ servers, ...row(values, name, 'floor-meta') })),
        ).flat(),
      ),
    ],
    checks: [
      ...paths.map(({ path, system }) =>
        atMost(
          `spawn → \`tools/list\`, ${path}, × floor-meta`,
          ratio(listed, system, 'floor-meta'),
          limits.list[system],
        ),
      ),
      ...firstChecks('one fake server', first.get(one), limits.firstOfOne),
      ...firstChecks('ten servers of 300 ms', first.get(ten), limits.firstOfTen),
    ],
  };
}
