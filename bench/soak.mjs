/**
 * npm run soak [-- --minutes N] [-- --seed N] [-- --dry]
 *
 * Mixed traffic through one workbench while some of its servers are killed at random and others attack it. Checks at the end
 * that the rest were not affected, that no call ran twice and that no process is left. Writes the result into docs/internals/reliability.md; with
 * --dry it only prints it. Exits with code 1 if a check fails. Linux only.
 */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createUser, provoke } from './rig/attacker.mjs';
import { childrenOf, commandOf, descriptorCount, exists, processesWith, residentMiB } from './rig/processes.mjs';
import { allHold, fixed, provenance, table, writeSection } from './rig/report.mjs';
import { createRandom } from './rig/statistics.mjs';
import { createWorkspace, startWorkbench } from './rig/systems.mjs';
import { pause, until } from './rig/wait.mjs';
import { createKiller } from './soak/killer.mjs';
import { readServerLog } from './soak/log.mjs';
import { hostileServers, servers, soakConfig } from './soak/servers.mjs';
import { createTraffic } from './soak/traffic.mjs';
import { judgeCalls, judgeExecutions, verdict } from './soak/verdict.mjs';

const workers = 16;
const thinkMs = 60;
const killEveryMs = [500, 3_500];
const warmUpMs = 10_000;
// The longest refusal of a crash loop is 20 s, and hostile servers keep the machine busy.
const recoveryMs = 60_000;
const leaveMs = 10_000;
// Dozens that attack without a rest would use up the machine, and the soak would measure that.
const attackEveryMs = [3_000, 15_000];

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    dry: { type: 'boolean', default: false },
  },
});
const marker = ['WORKBENCH_SOAK', randomUUID()];
const markerEntry = marker.join('=');
const workspace = createWorkspace();
const logFile = join(workspace.directory, 'servers.log');
writeFileSync(logFile, '');
const random = createRandom(Number(options.seed));

const client = startWorkbench(
  { ...workspace, env: { ...workspace.env, [marker[0]]: marker[1] } },
  workspace.writeConfig(soakConfig(logFile, marker)),
  { client: createUser(random) },
);
const record = [];
const traffic = createTraffic(client, random, record);
const killer = createKiller(logFile, markerEntry, random);
const resident = { samples: [] };

/** All workers make calls for this time, then wait for the last responses. */
async function makeCalls(ms) {
  const end = performance.now() + ms;
  const worker = async () => {
    while (performance.now() < end) {
      await traffic.one();
      await pause(random.between(0, thinkMs));
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

async function meanwhile(work, interval, act) {
  const over = work.then(() => true);
  const next = () => pause(interval()).then(() => false);
  while (!(await Promise.race([over, next()]))) act();
}

/** Starts every server: the same state before and after, so that descriptors can be compared. */
async function everyServerUp() {
  const toolboxes = [...new Set(servers.map(({ toolbox }) => toolbox))];
  const problemOf = async ({ toolbox, server }) => {
    const result = await client.callTool('use_tool', { tool: { toolbox, server, name: 'echo' }, arguments: {} });
    return result.isError ? [result.content[0]?.text] : [];
  };
  let problems = [];
  await Promise.all(toolboxes.map((toolbox) => client.callTool('open_toolbox', { toolbox })));
  const isUp = await until(
    async () => {
      problems = (await Promise.all(servers.map(problemOf))).flat();
      return problems.length === 0;
    },
    recoveryMs,
    500,
  );
  if (!isUp) throw new Error(`some server did not start again: ${problems.join('\n')}`);
}

/** `most`: to wait for, because hostile servers still run. */
async function countDescriptors(most = Infinity) {
  await everyServerUp();
  await until(() => descriptorCount(client.pid) <= most, recoveryMs);
  return descriptorCount(client.pid);
}

await client.initialize();
await everyServerUp();
await makeCalls(warmUpMs);
const before = await countDescriptors();

const soakMs = Number(options.minutes) * 60_000;
const soaking = makeCalls(soakMs);
const attacking = hostileServers.map((server) =>
  provoke(client, server, random, performance.now() + soakMs, attackEveryMs),
);
const killing = meanwhile(soaking, () => random.between(...killEveryMs), killer.killOne);
await meanwhile(
  soaking,
  () => 1_000,
  () => resident.samples.push(residentMiB(client.pid)),
);
await Promise.all([killing, ...attacking]);
const after = await countDescriptors(before);

const started = [client.pid, ...childrenOf(client.pid), ...processesWith(markerEntry)];
const exit = await client.close();
const leftNow = () => [...new Set([...started.filter(exists), ...processesWith(markerEntry)])];
await until(() => leftNow().length === 0, leaveMs);
const left = leftNow().map((pid) => `${pid} ${commandOf(pid)}`);

const log = readServerLog(logFile);
const calls = judgeCalls(record, killer.kills);
const executions = judgeExecutions(record, log);
const checks = verdict({ calls, executions, left, exit, descriptors: { before, after }, resident });
const command = `npm run soak -- --minutes ${options.minutes} --seed ${options.seed}`;
const kindsSeen = [...new Set(record.map(({ kind }) => kind))].map(
  (kind) => `${kind} ${record.filter((entry) => entry.kind === kind).length}`,
);
const text = [
  provenance(command),
  `${record.length} calls (${kindsSeen.join(', ')}) to ${servers.length} servers, beside ${hostileServers.length} hostile ones, in ${log.processes.size} processes; ${killer.kills.length} kills, of which ${killer.kills.filter(({ whole }) => whole).length} of a whole process group. ${calls.killed} calls were lost to a kill, ${calls.refused} were refused while a crash loop lasted. RSS ${fixed(Math.min(...resident.samples))} to ${fixed(Math.max(...resident.samples))} MiB.`,
  table(checks),
].join('\n\n');
console.log(text);
for (const { id, kind, toolbox, server, text: answer } of calls.unexpected.slice(0, 20))
  console.log(`unexpected: ${id} ${kind} ${toolbox}/${server}: ${answer}`);
for (const entry of [...executions.neverExecuted, ...executions.notCancelled].slice(0, 20)) console.log(entry);
for (const line of left) console.log(`left: ${line}`);
if (!options.dry) writeSection('reliability.md', 'soak', text);
workspace.remove();
process.exitCode = allHold(checks) ? 0 : 1;
