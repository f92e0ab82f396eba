/**
 * npm run soak:http [-- --minutes N] [-- --seed N]
 *
 * Twenty users of `serve --http`, each with a client of both eras, whose ids are equal, with a random fault every 5 s; the service is
 * killed and started again twice, early on. Checks at the end that calls to the healthy server
 * succeeded, that no answer reached another call, that descriptors, processes and memory stay flat, and that nothing is left. Exits
 * with code 1 if a check fails. Linux only.
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { commandOf, descriptorCount, processesWith, residentMiB } from './rig/processes.mjs';
import { allHold, provenance, table } from './rig/report.mjs';
import { createRandom } from './rig/statistics.mjs';
import { createWorkspace, fakeServer } from './rig/systems.mjs';
import { pause, until } from './rig/wait.mjs';
import { createCaller } from './soak-http/caller.mjs';
import { startIssuer } from './soak-http/issuer.mjs';
import { createService } from './soak-http/service.mjs';
import { verdict } from './soak-http/verdict.mjs';

const users = 20;
const thinkMs = 300;
const faultEveryMs = 5_000;
const sampleEveryMs = 1_000;
const tokenForMs = 120_000;
const leaveMs = 15_000;
const audience = 'soak';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const random = createRandom(Number(options.seed));
const marker = ['WORKBENCH_SOAK', randomUUID()];
const env = Object.fromEntries([marker]);
const workspace = createWorkspace();
const issuer = await startIssuer();
let edits = 0;

/** Every edit adds a toolbox or removes it, and changes no server that is used. */
function writeConfig() {
  const servers = {
    healthy: { ...fakeServer('--name', '${user:key}'), env },
    faulty: { ...fakeServer('--start-ms', 1), env },
  };
  const toolboxes = { soak: { description: 'Servers of the soak', mcpServers: servers } };
  if (edits % 2 === 1) toolboxes.more = { description: `Edit ${edits}`, mcpServers: servers };
  return workspace.writeConfig({ http: { auth: { issuer: issuer.url, audience } }, toolboxes });
}

const service = await createService({ ...workspace, env: { ...workspace.env, ...env } }, writeConfig());
const counts = { healthy: 0, faulty: 0, failed: 0, lost: 0, crossed: 0, progress: 0, listChanged: 0 };
const problems = new Map();
const owners = new Map();
const samples = [];
const faultCounts = new Map();

function callerOf(subject, era) {
  let token;
  let renewAt = 0;
  return createCaller({
    ...{ url: service.url, subject, era },
    token() {
      if (performance.now() > renewAt) {
        token = issuer.token(subject, audience);
        renewAt = performance.now() + tokenForMs;
      }
      return token;
    },
  });
}

const subjects = Array.from({ length: users }, (_, at) => `user-${at}`);
const callers = subjects.flatMap((subject) => ['legacy', 'modern'].map((era) => callerOf(subject, era)));
const begun = performance.now();
const lengthMs = Number(options.minutes) * 60_000;
const share = () => (performance.now() - begun) / lengthMs;
const isOver = () => share() >= 1;

const kinds = [
  ['echo', () => ({ text: 'hello' })],
  ['echo', () => ({ text: 'hello' })],
  ['echo', () => ({ text: 'hello' })],
  ['blob', () => ({ bytes: random.between(1_000, 60_000), pattern: 'text' })],
  ['name', () => ({})],
  ['steps', () => ({ count: 3, everyMs: random.between(1, 30) })],
];

/** What an answer says; a connection that breaks is a problem too. */
async function outcomeOf(caller, server) {
  const [tool, args] = random.pick(kinds);
  try {
    return { tool, ...(await caller.call(server, tool, args())) };
  } catch (error) {
    return { problem: error.message };
  }
}

/** Whose server has answered. It is named by the key of its user, which no other user's has. */
function othersServer({ subject }, { text, tool }) {
  const [, key] = (tool === 'name' && /^\S+ ([\da-f]{32})$/.exec(text ?? '')) || [];
  if (key === undefined) return undefined;
  const owner = owners.get(key) ?? subject;
  owners.set(key, owner);
  return owner === subject ? undefined : `${subject} reached the server of ${owner}`;
}

async function callOnce(caller) {
  const server = random.between(1, 10) === 1 ? 'faulty' : 'healthy';
  const { generation } = service;
  const { problem, progress = 0, ...answered } = await outcomeOf(caller, server);
  const crossed = answered.crossed ?? othersServer(caller, answered);
  counts.progress += progress;
  if (crossed !== undefined) {
    counts.crossed++;
    note(`crossed: ${crossed}`);
  }
  // It was killed during this call.
  if (problem !== undefined && (!service.isUp || service.generation !== generation)) {
    counts.lost++;
    return;
  }
  counts[server]++;
  if (server !== 'healthy' || problem === undefined) return;
  counts.failed++;
  note(problem);
}

function note(text) {
  const kind = text.slice(0, 300);
  problems.set(kind, (problems.get(kind) ?? 0) + 1);
}

async function converse(caller) {
  while (!isOver()) {
    while (!service.isUp) await pause(50);
    caller.listen(counts);
    await callOnce(caller);
    await pause(random.between(0, thinkMs));
  }
}

const background = new Set();
function inBackground(work) {
  const running = work.catch(() => {}).finally(() => background.delete(running));
  background.add(running);
}

const faults = {
  killServer() {
    const faulty = processesWith(marker.join('=')).filter((one) => commandOf(one).includes('--start-ms'));
    if (faulty.length > 0) process.kill(random.pick(faulty), 'SIGKILL');
  },
  edit() {
    edits++;
    writeConfig();
  },
  dropConnections() {
    for (let count = 0; count < 10; count++) inBackground(random.pick(callers).drop('healthy', random.between(5, 500)));
  },
  readNothing() {
    inBackground(random.pick(callers).readNothing('faulty', 4_000_000, 40_000));
  },
};

async function breakThings() {
  const names = Object.keys(faults);
  for (let next = begun + faultEveryMs; !isOver(); next += faultEveryMs) {
    while (!isOver() && performance.now() < next) await pause(50);
    const name = random.pick(names);
    faultCounts.set(name, (faultCounts.get(name) ?? 0) + 1);
    if (!isOver() && service.isUp) faults[name]();
  }
}

async function killService() {
  for (const at of [0.2, 0.4]) {
    while (share() < at) await pause(50);
    await service.killAndStart();
  }
}

async function sample() {
  for (; !isOver(); await pause(sampleEveryMs)) {
    if (!service.isUp) continue;
    const processes = processesWith(marker.join('=')).length;
    const { pid } = service;
    samples.push({ at: share(), processes, descriptors: descriptorCount(pid), resident: residentMiB(pid) });
  }
}

for (const caller of callers) await caller.initialize();
await Promise.all([...callers.map(converse), breakThings(), killService(), sample()]);
for (const caller of callers) caller.close();
await Promise.all(background);
const exit = await service.close();
const left = () => processesWith(marker.join('='));
await until(() => left().length === 0, leaveMs);
issuer.close();

const checks = verdict({ counts, samples, left: left(), exit, restarts: service.generation - 1 });
const seen = (what) => samples.map((one) => Math.round(one[what]));
const range = (what) => `${Math.min(...seen(what))} to ${Math.max(...seen(what))}`;
console.log(provenance(`npm run soak:http -- --minutes ${options.minutes} --seed ${options.seed}`));
console.log(
  `\n${users} users, ${callers.length} clients, ${counts.healthy} calls of the healthy server and ${counts.faulty} of the other; ` +
    `${counts.progress} notifications of progress, ${counts.listChanged} of changed tools; ` +
    `${Array.from(faultCounts, ([name, count]) => `${name} ${count}`).join(', ')}; ${service.generation - 1} kills of the service. ` +
    `RSS ${range('resident')} MiB, ${range('descriptors')} descriptors, ${range('processes')} processes.\n`,
);
for (const [text, count] of problems) console.log(`${count} × ${text}`);
for (const [text, count] of service.warnings) console.log(`log, ${count} ×: ${text}`);
console.log(table(checks));
workspace.remove();
process.exitCode = allHold(checks) ? 0 : 1;
