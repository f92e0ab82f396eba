import { cpuMs } from './processes.mjs';

/**
 * Runs `measure(name)` for every name once per round, in turns, so that other load on the machine affects all of them
 * equally; every second round runs backwards. Returns the values by name.
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
 * One call at a time, in blocks that alternate between systems. Returns, by name, the duration of every call and the
 * CPU time per call of the proxy, if there is one.
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

/** Runs `act(1)` to `act(count)`, `atOnce` of them concurrently. */
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
