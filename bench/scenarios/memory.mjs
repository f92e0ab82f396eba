import { limits } from '../rig/limits.mjs';
import { residentMiB } from '../rig/processes.mjs';
import { atMost, fixed, table } from '../rig/report.mjs';
import { createRandom, median, slope } from '../rig/statistics.mjs';
import { fakeServer, manyServers, whileOpen } from '../rig/systems.mjs';
import { inLanes } from '../rig/traffic.mjs';
import { pause } from '../rig/wait.mjs';

const names = ['floor-meta', 'workbench'];
const opened = Array.from(limits.residentMiB, ([servers, limit]) => ({ servers, limit }));
/** Twenty with the six built-in ones. */
const moreTools = ['--tools', 14];
const small = { count: 50_000, warmUp: 2_000, atOnce: 16, bytes: () => 100 };
const random = createRandom(1);
const mixed = { count: 10_000, warmUp: 2_000, atOnce: 8, bytes: randomSize };
const samplesPerRun = 60;
const mostGrowth = 1.15;

/** Resident memory of the proxy alone: with many servers, and over many calls. */
export async function memory({ quick, inherit }) {
  const settle = () => pause(quick ? 1_000 : 3_000);
  const byServers = [];
  for (const { servers, limit } of opened) {
    const rounds = [];
    for (let round = 0; round < (quick ? 1 : 3); round++) rounds.push(await withServers(servers, settle, inherit));
    byServers.push({ servers, limit, resident: (name) => median(rounds.map((seen) => seen.get(name))) });
  }
  return report(
    byServers,
    await overCalls(names, small, settle, inherit),
    // With fewer calls the figure would mean nothing: the memory taken by large results settles slowly.
    quick ? undefined : await overCalls(['workbench'], mixed, settle, inherit),
  );
}

function withServers(count, settle, inherit) {
  return whileOpen(names, manyServers(count, fakeServer(...moreTools)), { inherit }, async (systems) => {
    await settle();
    return new Map(Array.from(systems, ([name, system]) => [name, residentMiB(system.pid())]));
  });
}

/** Mostly small, some the size of a file, a few of several megabytes. */
function randomSize() {
  const kind = random.next();
  if (kind < 0.8) return random.between(10, 2_000);
  if (kind < 0.98) return random.between(2_000, 200_000);
  return random.between(200_000, 4_000_000);
}

/** Resident memory before, during and after many calls, by system. */
function overCalls(systemNames, { count, warmUp, atOnce, bytes }, settle, inherit) {
  return whileOpen(systemNames, { server: fakeServer() }, { inherit }, async (systems) => {
    const levels = new Map();
    for (const [name, system] of systems) {
      const resident = () => residentMiB(system.pid());
      const call = () => system.call('server', 'blob', { bytes: bytes() });
      await inLanes(warmUp, atOnce, call);
      await settle();
      const before = resident();
      const samples = [];
      await inLanes(count, atOnce, async (number) => {
        await call();
        if (number % (count / samplesPerRun) < 1) samples.push([number, resident()]);
      });
      await settle();
      levels.set(name, { before, samples, after: resident() });
    }
    return levels;
  });
}

/** Comparing thirds shows growth more reliably than two samples. */
function thirds(samples) {
  const third = Math.floor(samples.length / 3);
  const level = (part) => median(part.map(([, resident]) => resident));
  return { first: level(samples.slice(0, third)), last: level(samples.slice(-third)) };
}

function levelTable(levels) {
  return table(
    Array.from(levels, ([name, { before, samples, after }]) => ({
      system: name,
      'after warm-up': fixed(before),
      'first third': fixed(thirds(samples).first),
      'last third': fixed(thirds(samples).last),
      'at the end': fixed(after),
      peak: fixed(Math.max(...samples.map(([, resident]) => resident))),
      'MiB per 1,000 calls': fixed(slope(samples) * 1_000, 2),
    })),
  );
}

function flat(what, levels) {
  const { first, last } = thirds(levels.get('workbench').samples);
  return atMost(`RSS over ${what}, last third × first`, last / first, mostGrowth);
}

function report(byServers, overSmall, overMixed) {
  const title = ({ count, atOnce, warmUp }, sizes) =>
    `Over ${count} calls of ${sizes}, ${atOnce} at a time, after ${warmUp} to warm up:`;
  return {
    title: 'Memory',
    parts: [
      'Resident memory in MiB of the proxy alone, after opening servers of 20 tools each:',
      table(
        byServers.map(({ servers, resident }) => ({
          servers,
          ...Object.fromEntries(names.map((name) => [name, fixed(resident(name), 1)])),
        })),
      ),
      title(small, '100 B'),
      levelTable(overSmall),
      ...(overMixed ? [title(mixed, '10 B to 4 MB'), levelTable(overMixed)] : []),
    ],
    checks: [
      ...byServers.map(({ servers, limit, resident }) =>
        atMost(`RSS, ${servers} server${servers === 1 ? '' : 's'}, MiB`, resident('workbench'), limit, 1),
      ),
      atMost('RSS after 50,000 calls, MiB', overSmall.get('workbench').after, limits.residentAfterCallsMiB, 1),
      flat('50,000 calls', overSmall),
      ...(overMixed ? [flat('calls of mixed sizes', overMixed)] : []),
    ],
  };
}
