import { check, fixed, table } from '../rig/report.mjs';
import { median, spread } from '../rig/statistics.mjs';
import { createWorkspace, fakeServer, interleave, systems } from '../rig/systems.mjs';

const slowStartMs = 300;
const tenSlowServers = Object.fromEntries(
  Array.from({ length: 10 }, (_, index) => [`server-${index}`, fakeServer('--start-ms', slowStartMs)]),
);

/** How long until the agent can see the two tools, and until a toolbox of slow servers is open and used. */
export async function start({ quick }) {
  const listed = await timeToList(quick ? 9 : 25);
  const opened = await timeToOpen(quick ? 5 : 11);
  const listRatio = median(listed.get('workbench')) / median(listed.get('floor'));
  const ratioOf = (field) => medianOf(opened.get('workbench'), field) / medianOf(opened.get('direct'), field);
  return {
    title: 'Start',
    parts: [
      'Spawn to the answer of `tools/list`:',
      table(
        ['floor', 'workbench'].map((name) => ({
          system: name,
          rounds: listed.get(name).length,
          'median ms': fixed(median(listed.get(name))),
          '± ms': fixed(spread(listed.get(name)), 1),
          '× floor': fixed(median(listed.get(name)) / median(listed.get('floor')), 2),
        })),
      ),
      `Ten servers that take ${slowStartMs} ms each to start: opening them (for \`direct\`, connecting to all ten at once), and from spawn to the first result:`,
      table(
        ['direct', 'floor', 'workbench'].map((name) => ({
          system: name,
          rounds: opened.get(name).length,
          'open ms': fixed(medianOf(opened.get(name), 'open')),
          'spawn to result ms': fixed(medianOf(opened.get(name), 'result')),
          '× direct, open': fixed(medianOf(opened.get(name), 'open') / medianOf(opened.get('direct'), 'open'), 2),
          '× direct, spawn to result': fixed(
            medianOf(opened.get(name), 'result') / medianOf(opened.get('direct'), 'result'),
            2,
          ),
        })),
      ),
    ],
    checks: [
      check('spawn → `tools/list`, × floor', fixed(listRatio, 2), '≤ 2.0', listRatio <= 2),
      check('opening ten slow servers, × direct', fixed(ratioOf('open'), 2), '≤ 1.25', ratioOf('open') <= 1.25),
    ],
  };
}

const medianOf = (rounds, field) => median(rounds.map((round) => round[field]));

function timeToList(rounds) {
  return interleave(['floor', 'workbench'], rounds, (name) =>
    within(name, { server: fakeServer() }, async (system) => {
      const begun = performance.now();
      system.start();
      await system.list();
      return performance.now() - begun;
    }),
  );
}

function timeToOpen(rounds) {
  return interleave(['direct', 'floor', 'workbench'], rounds, (name) =>
    within(name, tenSlowServers, async (system) => {
      const begun = performance.now();
      system.start();
      // Without anybody in between, connecting is opening.
      if (name !== 'direct') await system.list();
      const asked = performance.now();
      await system.open();
      const open = performance.now() - asked;
      await system.call('server-7', 'echo', { text: 'hello' });
      return { open, result: performance.now() - begun };
    }),
  );
}

async function within(name, servers, measure) {
  const workspace = createWorkspace();
  const system = systems[name](servers, workspace);
  try {
    return await measure(system);
  } finally {
    await system.close();
    workspace.remove();
  }
}
