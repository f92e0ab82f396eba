import { createPeer, installPeer, peerNames } from '../rig/peers.mjs';
import { residentMiB } from '../rig/processes.mjs';
import { fixed, table } from '../rig/report.mjs';
import { median } from '../rig/statistics.mjs';
import { createSystem, fakeServer, whileUp, withSystem } from '../rig/systems.mjs';
import { inBlocks, interleave, rateOf } from '../rig/traffic.mjs';
import { pause } from '../rig/wait.mjs';

const entry = fakeServer();
const settleMs = 1_000;
const trialLimitMs = 30_000;
const smallCall = (system) => system.call('server', 'blob', { bytes: 100 });

/** Other proxies, with one fake server behind each; installed from npm for this run only. */
export async function peers({ quick, inherit }) {
  const create = new Map(
    ['direct', 'floor-meta', 'workbench'].map((name) => [
      name,
      () => Promise.resolve(createSystem(name, { server: entry }, { inherit })),
    ]),
  );
  const unfit = new Map();
  for (const name of peerNames) {
    try {
      const program = await installPeer(name);
      const createThis = () => createPeer(name, program, entry, { inherit });
      await trial(await createThis());
      create.set(name, createThis);
    } catch (error) {
      unfit.set(name, error.message.split('\n', 1)[0]);
    }
  }
  const names = [...create.keys()];
  const starts = await interleave(names, quick ? 5 : 15, async (name) => firstResult(await create.get(name)()));
  return report(names, starts, await running(create, quick), unfit);
}

/** Ends a peer that takes too long, so that a peer that hangs does not hang the benchmark. */
async function trial(system) {
  const timer = setTimeout(() => void system.close(), trialLimitMs);
  await firstResult(system).finally(() => clearTimeout(timer));
}

function firstResult(system) {
  return withSystem(system, async () => {
    const begun = performance.now();
    system.start();
    await system.list();
    const list = performance.now() - begun;
    await system.open();
    await smallCall(system);
    return { list, result: performance.now() - begun };
  });
}

async function running(create, quick) {
  const systems = new Map();
  for (const [name, createThis] of create) systems.set(name, await createThis());
  return whileUp(systems, async () => {
    for (const system of systems.values()) {
      await system.open();
      await smallCall(system);
    }
    await pause(settleMs);
    const resident = new Map(Array.from(systems, ([name, system]) => [name, residentMiB(system.pid())]));
    const counts = { calls: quick ? 500 : 3_000, perBlock: 50, warmUp: quick ? 250 : 1_500 };
    const calls = await inBlocks(systems, counts, smallCall);
    const rates = await interleave([...systems.keys()], quick ? 3 : 9, (name) =>
      rateOf(1_000, 16, () => smallCall(systems.get(name))),
    );
    return { resident, calls, rates };
  });
}

function report(names, starts, { resident, calls, rates }, unfit) {
  const medianOf = (name, field) => median(starts.get(name).map((round) => round[field]));
  const rows = names.map((name) => ({
    system: name,
    'spawn → `tools/list` ms': fixed(medianOf(name, 'list')),
    'spawn → first result ms': fixed(medianOf(name, 'result')),
    'call 100 B, p50 ms': fixed(median(calls.get(name).ms), 3),
    'calls/s, 16 in flight': fixed(median(rates.get(name))),
    'RSS MiB': fixed(resident.get(name), 1),
  }));
  const dashes = Object.fromEntries(Object.keys(rows[0]).map((column) => [column, '–']));
  const absent = Array.from(unfit, ([name, why]) => ({ ...dashes, system: `${name}: ${why}` }));
  return {
    title: 'Peers',
    parts: [
      'One fake server behind each. The peers are called over HTTP and list the tools of the server itself, so by then they have started it:',
      table([...rows, ...absent]),
    ],
    checks: [],
  };
}
