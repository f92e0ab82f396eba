/**
 * npm run soak:shared [-- --minutes N] [-- --seed N]
 *
 * Ten sessions that come and go on one host, with a random fault every 5 s and the host killed every 60 s. Checks at the end that
 * calls to the healthy server succeeded, that descriptors, processes and memory of the host stay flat, and that nothing is left.
 * Exits with code 1 if a check fails. Linux only.
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { hosts } from './rig/hosts.mjs';
import { commandOf, descriptorCount, isRunning, processesWith, residentMiB } from './rig/processes.mjs';
import { allHold, atLeast, atMost, provenance, table } from './rig/report.mjs';
import { createRandom, median } from './rig/statistics.mjs';
import { createWorkspace, fakeServer, startWorkbench } from './rig/systems.mjs';
import { pause, until } from './rig/wait.mjs';

const sessions = 10;
const thinkMs = 20;
const faultEveryMs = 5_000;
const killEveryMs = 60_000;
const sampleEveryMs = 1_000;
const leaveMs = 15_000;

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const random = createRandom(Number(options.seed));
const below = (count) => Math.floor(random.next() * count);
const marker = ['WORKBENCH_SOAK', randomUUID()];
const env = Object.fromEntries([marker]);
const workspace = createWorkspace();
const configFile = workspace.writeConfig({
  toolboxes: {
    soak: {
      description: 'Servers of the soak',
      mcpServers: { healthy: { ...fakeServer(), env }, faulty: { ...fakeServer('--start-ms', 1), env } },
    },
  },
});
const end = performance.now() + Number(options.minutes) * 60_000;
const counts = { healthy: 0, failed: 0, lost: 0, sessions: 0 };
const failures = new Map();
const fronts = new Set();
const samples = [];
let kills = 0;

const isOver = () => performance.now() > end;

async function callOnce(client, server) {
  const tool = { toolbox: 'soak', server, name: 'echo' };
  const result = await client.callTool('use_tool', { tool, arguments: { text: 'hello' } });
  if (server !== 'healthy') return;
  counts.healthy++;
  if (!result.isError) return;
  const [{ text }] = result.content;
  // The host was killed during this call: that is the promised answer.
  if (text.includes('the host process that runs the servers was lost')) counts.lost++;
  else {
    counts.failed++;
    failures.set(text, (failures.get(text) ?? 0) + 1);
  }
}

/** Sessions one after the other, each for some seconds. */
async function comeAndGo() {
  while (!isOver()) {
    const client = startWorkbench({ ...workspace, env: { ...workspace.env, WORKBENCH_SHARED: '1' } }, configFile);
    fronts.add(client);
    counts.sessions++;
    const leave = performance.now() + 5_000 + below(15_000);
    try {
      await client.initialize();
      while (!isOver() && performance.now() < leave && fronts.has(client)) {
        await callOnce(client, below(10) === 0 ? 'faulty' : 'healthy');
        await pause(thinkMs);
      }
    } catch (error) {
      // A session that was killed on purpose.
      if (fronts.has(client)) throw error;
    }
    fronts.delete(client);
    await client.close().catch(() => {});
  }
}

const faults = [
  function killServer() {
    const [pid] = processesWith(marker.join('=')).filter((one) => commandOf(one).includes('--start-ms'));
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  },
  function killSession() {
    const client = [...fronts][below(fronts.size)];
    if (client === undefined) return;
    fronts.delete(client);
    process.kill(client.pid, 'SIGKILL');
  },
  async function stopHost() {
    const [pid] = hosts();
    if (pid === undefined) return;
    process.kill(pid, 'SIGSTOP');
    await pause(500);
    if (isRunning(pid)) process.kill(pid, 'SIGCONT');
  },
];

async function every(ms, act) {
  for (let next = performance.now() + ms; !isOver(); next += ms) {
    while (!isOver() && performance.now() < next) await pause(100);
    if (!isOver()) await act();
  }
}

function killHost() {
  kills++;
  for (const pid of hosts()) process.kill(pid, 'SIGKILL');
}

function sample() {
  const [pid] = hosts();
  if (pid === undefined || !isRunning(pid)) return;
  const processes = processesWith(marker.join('=')).length;
  samples.push({ descriptors: descriptorCount(pid), processes, resident: residentMiB(pid) });
}

await Promise.all([
  ...Array.from({ length: sessions }, comeAndGo),
  every(faultEveryMs, () => faults[below(faults.length)]()),
  every(killEveryMs, killHost),
  every(sampleEveryMs, () => {
    try {
      sample();
    } catch {
      // It has just ended.
    }
  }),
]);
const left = () => [...hosts(), ...processesWith(marker.join('='))];
await until(() => left().length === 0, leaveMs, 50).catch(() => {});

const grown = (what) => {
  const half = Math.floor(samples.length / 2);
  const [before, after] = [samples.slice(0, half), samples.slice(half)].map((some) =>
    median(some.map((one) => one[what])),
  );
  return after - before;
};
const checks = [
  atLeast(
    'calls on the healthy server that succeeded, %',
    (1 - (counts.failed + counts.lost) / counts.healthy) * 100,
    99.9,
  ),
  atMost('calls that failed otherwise than with the host', counts.failed, counts.healthy / 1_000, 0),
  atMost('descriptors of the host, second half, more', grown('descriptors'), 10, 0),
  atMost('processes of servers, second half, more', grown('processes'), 2, 0),
  atMost('memory of the host, second half, more, MiB', grown('resident'), 20, 1),
  atMost('processes left after 15 s', left().length, 0, 0),
];
console.log(provenance(`npm run soak:shared -- --minutes ${options.minutes} --seed ${options.seed}`));
console.log(
  `\n${counts.sessions} sessions, ${counts.healthy} calls, ${counts.lost} lost with a host, ${kills} hosts killed\n`,
);
for (const [text, count] of failures) console.log(`${count} × ${text}`);
console.log(table(checks));
workspace.remove();
process.exitCode = allHold(checks) ? 0 : 1;
