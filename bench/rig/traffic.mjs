import { cpuMs } from './processes.mjs';

/**
 * Runs `measure(name)` for every name once per round, in turns, so that whatever else the machine does meets all of
 * them alike; every second round goes backwards. Gives the values by name.
 */
export async function interleave(names, rounds, measure) {
  const values = new Map(Array.from(names, (name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? [...names] : [...names].toReversed();
    for (const name of order) values.get(name).push(await measure(name));
  }
  return values;
}

/**
 * One call after the other, in blocks that go from system to system. Gives by name how long every call took, and the
 * CPU time per call of the process in the middle, if there is one.
 */
export async function inBlocks(systems, { calls, perBlock, warmUp }, call) {
  for (const system of systems.values()) for (let done = 0; done < warmUp; done++) await call(system);
  const blocks = await interleave([...systems.keys()], Math.ceil(calls / perBlock), async (name) => {
    const system = systems.get(name);
    const ms = [];
    const before = cpuMs(system.pid());
    for (let done = 0; done < perBlock; done++) {
      const begun = performance.now();
      await call(system);
      ms.push(performance.now() - begun);
    }
    return { ms, cpu: cpuMs(system.pid()) - before };
  });
  const summed = Array.from(blocks, ([name, list]) => {
    const ms = list.flatMap((block) => block.ms);
    return [name, { ms, cpuPerCall: list.reduce((sum, { cpu }) => sum + cpu, 0) / ms.length }];
  });
  return new Map(summed);
}

/** `act(1)` to `act(count)`, `atOnce` of them at any time. */
export async function inLanes(count, atOnce, act) {
  let begun = 0;
  const lane = async () => {
    while (begun < count) await act(++begun);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

/** Calls per second. */
export async function rateOf(count, atOnce, act) {
  const begun = performance.now();
  await inLanes(count, atOnce, act);
  return (count / (performance.now() - begun)) * 1_000;
}
