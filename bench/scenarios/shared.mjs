import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { endHosts, hosts } from '../rig/hosts.mjs';
import { limits } from '../rig/limits.mjs';
import { cpuMs, proportionalMiB, residentMiB, treeOf } from '../rig/processes.mjs';
import { atMost, fixed, table } from '../rig/report.mjs';
import { median } from '../rig/statistics.mjs';
import {
  createSystem,
  createWorkspace,
  fakeServer,
  manyServers,
  memoryServer,
  startWorkbench,
  withSystem,
} from '../rig/systems.mjs';
import { interleave } from '../rig/traffic.mjs';
import { pause } from '../rig/wait.mjs';

const names = ['workbench', 'shared'];
const rounds = 7;
const one = { server: fakeServer() };
const sessions = 5;
const servers = 6;
const manySessions = 50;
const tenServers = 10;

/** What it costs and saves that a host runs the servers of all sessions. */
export async function shared({ quick, inherit }) {
  await endHosts();
  try {
    const listed = await interleave(names, rounds, (name) => timeOf(name, inherit, (system) => system.list()));
    const cold = await coldCalls(inherit);
    const warm = await warmResults(memoryServer(), 'read_graph', inherit);
    const bare = await warmResults(fakeServer(), 'echo', inherit);
    const attaching = await attachments(inherit);
    const memory = await memoryOf(inherit);
    return report({ listed, cold, warm, bare, attaching, memory, hostMiB: await hostOfMany(inherit, quick) });
  } finally {
    await endHosts();
  }
}

function timeOf(name, inherit, act) {
  return withSystem(createSystem(name, one, { inherit }), async (system) => {
    const begun = performance.now();
    system.start();
    await act(system);
    return performance.now() - begun;
  });
}

/** The first call with no host, and how long Node.js alone takes to start. */
async function coldCalls(inherit) {
  const first = async (system) => {
    await system.list();
    await system.call('server', 'echo', { text: 'hello' });
  };
  return interleave([...names, 'node'], rounds, async (name) => {
    if (name === 'node') {
      const begun = performance.now();
      execFileSync(process.execPath, ['-e', '0']);
      return performance.now() - begun;
    }
    await endHosts();
    return timeOf(name, inherit, first);
  });
}

/** CPU time of a session up to its first result, that of the host included, where another session has started host and server. */
function warmResults(server, tool, inherit) {
  return besideAnother(server, inherit, (start) =>
    interleave(names, rounds, async (name) => {
      const [host] = hosts();
      const before = cpuMs(host);
      const client = start(name);
      await client.initialize();
      await client.listTools();
      await client.callTool('use_tool', { tool: { ...address, name: tool }, arguments: {} });
      const inHost = cpuMs(host) - before;
      // Without a host, the server is started as well.
      const own = treeOf(client.pid).reduce((sum, pid) => sum + cpuMs(pid), 0);
      await client.close();
      return name === 'shared' ? own + inHost : own;
    }),
  );
}

/** What a session costs the host before it uses a server. */
function attachments(inherit) {
  return besideAnother(fakeServer(), inherit, async (start) => {
    const seen = [];
    for (let round = 0; round < 2 * rounds; round++) {
      const client = start('shared');
      await client.initialize();
      const [host] = hosts();
      const [cpu, memory] = [cpuMs(host), residentMiB(host)];
      await client.callTool('open_toolbox', { toolbox: 'missing' });
      seen.push({ cpu: cpuMs(host) - cpu, memory: residentMiB(host) - memory });
      await client.close();
    }
    return seen;
  });
}

const address = { toolbox: 'bench', server: 'server' };

/** Measures sessions beside one that has started the host and the server, and stays. */
async function besideAnother(server, inherit, measure) {
  const workspace = createWorkspace({ inherit });
  const configFile = workspace.writeConfig({
    toolboxes: { bench: { description: 'Servers', mcpServers: { server: { ...server, cwd: workspace.directory } } } },
  });
  const start = (name) =>
    startWorkbench(
      { ...workspace, env: { ...workspace.env, WORKBENCH_SHARED: name === 'shared' ? '1' : '0' } },
      configFile,
    );
  const first = start('shared');
  await first.initialize();
  await first.callTool('open_toolbox', { toolbox: 'bench' });
  try {
    return await measure(start);
  } finally {
    await first.close();
    await endHosts();
    workspace.remove();
  }
}

/** Processes and memory of five sessions with six servers each. */
async function memoryOf(inherit) {
  const seen = new Map();
  for (const name of names) {
    const workspace = createWorkspace({ inherit });
    const mcpServers = manyServers(servers, { ...memoryServer(), cwd: workspace.directory });
    const configFile = workspace.writeConfig({ toolboxes: { bench: { description: 'Servers', mcpServers } } });
    const env = { ...workspace.env, WORKBENCH_SHARED: name === 'shared' ? '1' : '0' };
    const clients = [];
    for (let index = 0; index < sessions; index++) {
      const directory = join(workspace.directory, String(index));
      mkdirSync(directory);
      const client = startWorkbench({ ...workspace, directory, env }, configFile);
      clients.push(client);
      await client.initialize();
      await client.callTool('open_toolbox', { toolbox: 'bench' });
    }
    // The shell that ends servers if the workbench is killed is not counted as a server, but as a process.
    const pids = [...clients.map(({ pid }) => pid), ...hosts()].flatMap(treeOf);
    seen.set(name, { processes: pids.length, pss: proportionalMiB(pids) });
    await Promise.all(clients.map((client) => client.close()));
    await endHosts();
    workspace.remove();
  }
  return seen;
}

/** Resident memory of a host that many sessions have opened the same servers in. */
async function hostOfMany(inherit, quick) {
  const workspace = createWorkspace({ inherit });
  const mcpServers = manyServers(tenServers, { ...fakeServer('--tools', 14), cwd: workspace.directory });
  const configFile = workspace.writeConfig({ toolboxes: { bench: { description: 'Servers', mcpServers } } });
  const env = { ...workspace.env, WORKBENCH_SHARED: '1' };
  const clients = [];
  try {
    for (let index = 0; index < manySessions; index++) {
      const client = startWorkbench({ ...workspace, env }, configFile);
      clients.push(client);
      await client.initialize();
      await client.callTool('open_toolbox', { toolbox: 'bench' });
    }
    await pause(quick ? 1_000 : 3_000);
    return residentMiB(hosts()[0]);
  } finally {
    await Promise.all(clients.map((client) => client.close()));
    await endHosts();
    workspace.remove();
  }
}

function report({ listed, cold, warm, bare, attaching, memory, hostMiB }) {
  const ratio = (values) => median(values.get('shared')) / median(values.get('workbench'));
  const both = (what, of, digits) => ({
    what,
    'in the session': fixed(of('workbench'), digits),
    'in a host': fixed(of('shared'), digits),
    'in a host, ×': fixed(of('shared') / of('workbench'), 2),
  });
  const extra = (median(cold.get('shared')) - median(cold.get('workbench'))) / median(cold.get('node'));
  const { processes, pss } = memory.get('shared');
  return {
    title: 'Sharing',
    parts: [
      `Sessions whose servers run in a host, beside sessions that run them themselves; medians of ${rounds} rounds that alternate:`,
      table([
        both('spawn → `tools/list`, ms', (name) => median(listed.get(name)), 1),
        both('spawn → first result, no host yet, ms', (name) => median(cold.get(name)), 1),
        both('CPU up to the first result, server-memory, all warm, ms', (name) => median(warm.get(name)), 1),
        both('the same, a server of a few lines', (name) => median(bare.get(name)), 1),
        both(`${sessions} sessions × ${servers} servers, processes`, (name) => memory.get(name).processes, 0),
        both('the same, MiB (PSS)', (name) => memory.get(name).pss, 0),
      ]),
    ],
    checks: [
      atMost('spawn → `tools/list`, with a host', ratio(listed), 1.05),
      atMost('first result of server-memory, all warm, CPU, with a host', ratio(warm), 0.45),
      atMost('first result of a server of a few lines, the same', ratio(bare), 0.55),
      atMost('first call without a host yet, more than without one, × `node -e 0`', extra, 1.3),
      atMost('processes of 5 sessions × 6 servers', processes, 13, 0),
      atMost('PSS of 5 sessions × 6 servers, × without a host', pss / memory.get('workbench').pss, 0.3),
      atMost(`RSS of the host, ${manySessions} sessions × ${tenServers} servers, MiB`, hostMiB, limits.hostMiB, 1),
      atMost('attaching, CPU of the host, ms', median(attaching.map(({ cpu }) => cpu)), 3),
      atMost('attaching, memory of the host, MiB', median(attaching.map(({ memory: more }) => more)), 0.17),
    ],
  };
}
