import { residentMiB } from '../rig/processes.mjs';
import { check, fixed, table } from '../rig/report.mjs';
import { createRandom, median, slope } from '../rig/statistics.mjs';
import { createWorkspace, fakeServer, systems } from '../rig/systems.mjs';
import { pause } from '../rig/wait.mjs';

const calls = 10_000;
const warmUpCalls = 2_000;
const atOnce = 8;
const callsPerSample = 200;
const settleMs = 3_000;
const mostGrowth = 1.15;

/** Resident memory of the workbench alone, over many calls of mixed sizes. */
export async function memory() {
  const workspace = createWorkspace();
  const system = systems.workbench({ server: fakeServer() }, workspace);
  const random = createRandom(1);
  try {
    system.start();
    await system.list();
    await pause(settleMs);
    const idle = residentMiB(system.pid());
    await system.open();
    const warmUp = await run(system, random, warmUpCalls);
    const before = await settled(system);
    const samples = await run(system, random, calls);
    const after = await settled(system);
    return report({ idle, warmUp, before, samples, after });
  } finally {
    await system.close();
    workspace.remove();
  }
}

/** Mostly small, some of the size of a file, few of several megabytes. */
function randomSize(random) {
  const kind = random.next();
  if (kind < 0.8) return random.between(10, 2_000);
  if (kind < 0.98) return random.between(2_000, 200_000);
  return random.between(200_000, 4_000_000);
}

async function run(system, random, count) {
  const samples = [];
  let begun = 0;
  async function worker() {
    while (begun < count) {
      const call = ++begun;
      const { content, isError } = await system.call('server', 'blob', { bytes: randomSize(random) });
      if (isError) throw new Error(content[0].text);
      if (call % callsPerSample === 0) samples.push([call, residentMiB(system.pid())]);
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker));
  return samples;
}

async function settled(system) {
  await pause(settleMs);
  return residentMiB(system.pid());
}

function report({ idle, warmUp, before, samples, after }) {
  const third = Math.floor(samples.length / 3);
  const level = (part) => median(part.map(([, resident]) => resident));
  const first = level(samples.slice(0, third));
  const last = level(samples.slice(-third));
  const perThousand = slope(samples) * 1_000;
  const peak = Math.max(...samples.map(([, resident]) => resident), ...warmUp.map(([, resident]) => resident));
  return {
    title: 'Memory',
    parts: [
      `Resident memory of the workbench in MiB, over ${calls} calls of 10 B to 4 MB, ${atOnce} at a time, after ${warmUpCalls} to warm up:`,
      table([
        {
          'no server yet': fixed(idle),
          'after warm-up': fixed(before),
          'first third': fixed(first),
          'last third': fixed(last),
          'at the end': fixed(after),
          peak: fixed(peak),
          'MiB per 1,000 calls': fixed(perThousand, 2),
        },
      ]),
    ],
    checks: [
      check('RSS, last third × first third', fixed(last / first, 2), `≤ ${mostGrowth}`, last / first <= mostGrowth),
      check(
        'RSS, at the end × after warm-up',
        fixed(after / before, 2),
        `≤ ${mostGrowth}`,
        after / before <= mostGrowth,
      ),
    ],
  };
}
