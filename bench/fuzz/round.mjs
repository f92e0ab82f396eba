import { randomUUID } from 'node:crypto';
import { createUser, provoke } from '../rig/attacker.mjs';
import { childrenOf, commandOf, exists, processesWith, residentMiB } from '../rig/processes.mjs';
import { createRandom } from '../rig/statistics.mjs';
import { attackNames, createWorkspace, fakeServer, hostileServer, startWorkbench } from '../rig/systems.mjs';
import { pause, until } from '../rig/wait.mjs';

const toolbox = 'fuzz';
const markerName = 'WORKBENCH_FUZZ';
const maxHostile = 3;
const maxAttacks = 4;
const thinkMs = 5;
const openEveryMs = [300, 3_000];
const leaveMs = 10_000;
const answerLimitMs = 30_000;

/** One workbench, an ordinary server and a few hostile ones with random attacks, for this long. The same for the same seed. */
export async function runRound(seed, ms) {
  const random = createRandom(seed);
  const marker = randomUUID();
  const workspace = createWorkspace();
  const attacks = Array.from({ length: random.between(1, maxHostile) }, () => combination(random));
  const client = startWorkbench(workspace, workspace.writeConfig(configOf(attacks, random, marker)), {
    client: createUser(random),
  });
  const seen = { seed, attacks, calls: [], failures: [], peakMiB: 0 };

  await client.initialize();
  await echo(client, seen, { warm: true });
  const end = performance.now() + ms;
  const hostile = attacks.map((_, index) => ({ toolbox, server: `hostile-${index}` }));
  await Promise.all([
    bystander(client, seen, end),
    opener(client, random, end),
    watch(client, seen, end),
    ...hostile.map((server) => provoke(client, server, random, end)),
  ]);

  const started = [client.pid, ...childrenOf(client.pid)];
  const exit = await client.close();
  const left = () => [...new Set([...started.filter(exists), ...processesWith(`${markerName}=${marker}`)])];
  await until(() => left().length === 0, leaveMs);
  workspace.remove();
  return { ...seen, exit, left: left().map(commandOf) };
}

function combination(random) {
  const names = attackNames();
  return Array.from({ length: random.between(1, maxAttacks) }, () => random.pick(names));
}

function configOf(attacks, random, marker) {
  const env = { [markerName]: marker };
  const mcpServers = { bystander: { ...fakeServer(), env } };
  for (const [index, names] of attacks.entries()) {
    const noise = random.next() < 0.5 ? ['--noise', String(random.between(0, 1e6))] : [];
    const era = random.next() < 0.5 ? ['--modern'] : [];
    mcpServers[`hostile-${index}`] = { ...hostileServer(names, ...era, ...noise), env };
  }
  return { toolboxes: { [toolbox]: { description: 'One ordinary server among hostile ones', mcpServers } } };
}

/** Calls the ordinary server over and over; every call must be answered, and soon. */
async function bystander(client, seen, end) {
  while (performance.now() < end) {
    await echo(client, seen);
    await pause(thinkMs);
  }
}

async function echo(client, seen, { warm = false } = {}) {
  const begun = performance.now();
  const input = { tool: { toolbox, server: 'bystander', name: 'echo' }, arguments: { id: 'it', text: 'is there' } };
  const failure = await Promise.race([
    client.callTool('use_tool', input).then(
      ({ isError, content }) => (isError || !content[0].text.includes('is there') ? content[0].text : undefined),
      ({ message }) => message,
    ),
    pause(answerLimitMs).then(() => `no answer within ${answerLimitMs} ms`),
  ]);
  if (!warm) seen.calls.push(performance.now() - begun);
  if (failure !== undefined) seen.failures.push(failure);
}

/** The listing is where most texts of servers go. */
async function opener(client, random, end) {
  while (performance.now() < end) {
    const options = random.pick([{}, {}, { query: 'read a file' }, { detail: 'full' }, { detail: 'names' }]);
    const opening = client.callTool('open_toolbox', { toolbox, ...options }).catch(() => {});
    await Promise.race([opening, pause(Math.max(0, end - performance.now()))]);
    await pause(random.between(...openEveryMs));
  }
}

async function watch(client, seen, end) {
  while (performance.now() < end) {
    seen.peakMiB = Math.max(seen.peakMiB, residentMiB(client.pid) || 0);
    await pause(100);
  }
}
