import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { commandOf, cpuMs, proportionalMiB, treeOf } from '../rig/processes.mjs';
import { atMost, fixed, table } from '../rig/report.mjs';
import { median, spread } from '../rig/statistics.mjs';
import { createWorkspace, programCopy, startWorkbench } from '../rig/systems.mjs';
import { interleave } from '../rig/traffic.mjs';

const require = createRequire(import.meta.url);
const packages = ['memory', 'filesystem', 'everything'].map((name) => `@modelcontextprotocol/server-${name}`);
const [measured] = packages;
const toolbox = 'bench';
const sessions = 5;
const servers = 6;
const checkedCount = 20;

const specOf = (name) => `${name}@${require(`${name}/package.json`).version}`;
const argsOf = (name, directory) => (name.endsWith('filesystem') ? [directory] : []);

/** Servers that are written with npx: asked for once, run as written, and the same files by hand. Needs a registry. */
export async function runners({ quick }) {
  const workspace = createWorkspace();
  // npm and npx are beside the program that runs this.
  workspace.env.PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
  workspace.env.npm_config_registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  workspace.env.npm_config_update_notifier = 'false';
  try {
    return await measure(workspace, quick);
  } finally {
    workspace.remove();
  }
}

async function measure(workspace, quick) {
  const first = await firstStarts(workspace, quick ? 1 : 3);
  const file = installedFile(workspace);
  const entries = {
    'node FILE': { command: process.execPath, args: [file] },
    'npx, resolved': { command: 'npx', args: ['-y', specOf(measured)] },
    'npx, as written': { command: 'npx', args: ['-y', specOf(measured)], resolve: false },
  };
  const names = Object.keys(entries);
  for (const name of names) await started(workspace, { server: entries[name] });
  const again = await interleave(names, quick ? 3 : 15, (name) => started(workspace, { server: entries[name] }));
  const many = new Map();
  for (const name of ['npx, as written', 'npx, resolved']) many.set(name, await severalSessions(workspace, name));
  const checked = await interleave([...many.keys()], quick ? 1 : 5, (name) => checkedServers(workspace, name));
  return report(first, again, many, checked);
}

/** With an empty cache of npm, and then with an empty one again. */
async function firstStarts(workspace, rounds) {
  const begin = (entry) => async () => {
    const own = createWorkspace();
    own.env = { ...workspace.env, HOME: own.directory };
    try {
      return (await started(own, { server: entry })).ms;
    } finally {
      own.remove();
    }
  };
  const npx = { command: 'npx', args: ['-y', specOf(measured)] };
  const ways = { 'npx, as written': begin({ ...npx, resolve: false }), 'npx, resolved': begin(npx) };
  const first = await interleave(Object.keys(ways), rounds, (name) => ways[name]());
  await started(workspace, { server: npx });
  return first;
}

/** The file that npm has put into its cache, as the workbench has noted it. */
function installedFile({ directory }) {
  const folder = join(directory, '.cache', 'mcp-workbench', 'runners');
  const record = readdirSync(folder).find((name) => name.endsWith('.json'));
  return JSON.parse(readFileSync(join(folder, record), 'utf8')).file;
}

/** One session: from `open_toolbox` to its answer, and what the processes behind it have cost by then. */
async function started(workspace, entries) {
  const client = startWorkbench(workspace, workspace.writeConfig(configOf(entries)));
  try {
    await client.initialize();
    await client.listTools();
    const before = performance.now();
    await opened(client);
    const ms = performance.now() - before;
    const behind = serversOf(client.pid);
    const cpu = behind.reduce((sum, pid) => sum + cpuMs(pid), 0);
    return { ms, cpu, processes: behind.length, pss: proportionalMiB(behind) };
  } finally {
    await client.close();
  }
}

async function opened(client) {
  const result = await client.callTool('open_toolbox', { toolbox });
  const text = result.content[0].text;
  if (result.isError || text.includes('"unavailable"')) throw new Error(text.slice(0, 500));
}

const configOf = (mcpServers) => ({ toolboxes: { [toolbox]: { description: 'To measure', mcpServers } } });

/** All but the process that ends servers if we are killed. */
function serversOf(pid) {
  return treeOf(pid)
    .slice(1)
    .filter((one) => !commandOf(one).includes('mcp-workbench-watchdog') && !commandOf(one).startsWith('sleep '));
}

function npxServers(workspace, name, count) {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const its = packages[index % packages.length];
      const args = ['-y', specOf(its), ...argsOf(its, workspace.directory)];
      return [`server-${index}`, { command: 'npx', args, ...(name === 'npx, as written' && { resolve: false }) }];
    }),
  );
}

/** How long `doctor` takes for many servers that are installed. */
async function checkedServers(workspace, name) {
  const config = workspace.writeConfig(configOf(npxServers(workspace, name, checkedCount)));
  const before = performance.now();
  const child = spawn(process.execPath, [programCopy(), 'doctor', '--config', config], {
    cwd: workspace.directory,
    env: workspace.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const text = (await child.stdout.toArray()).join('');
  const ms = performance.now() - before;
  const ok = new RegExp(`\\b${checkedCount} of ${checkedCount} servers`);
  if (!ok.test(text)) throw new Error(text.slice(-500));
  return ms;
}

async function severalSessions(workspace, name) {
  const config = workspace.writeConfig(configOf(npxServers(workspace, name, servers)));
  const clients = Array.from({ length: sessions }, () => startWorkbench(workspace, config));
  try {
    await Promise.all(clients.map((client) => client.initialize()));
    // One after the other: npm fails if several install the same package at once.
    for (const client of clients) await opened(client);
    const pids = clients.flatMap((client) => treeOf(client.pid));
    return { processes: pids.length, pss: proportionalMiB(pids) };
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}

function report(first, again, many, checked) {
  const value = (name, what) => median(again.get(name).map((one) => one[what]));
  const base = 'node FILE';
  const ratio = (what) => value('npx, resolved', what) / value(base, what);
  const firstMs = (name) => median(first.get(name));
  return {
    title: 'Package runners',
    parts: [
      `${specOf(measured)}, in a session of its own each time: from \`open_toolbox\` to its answer, and what the processes of the server have cost by then:`,
      table(
        [...again.keys()].map((name) => ({
          started: name,
          rounds: again.get(name).length,
          'median ms': fixed(value(name, 'ms')),
          '± ms': fixed(spread(again.get(name).map(({ ms }) => ms)), 1),
          '× node FILE': fixed(value(name, 'ms') / value(base, 'ms'), 2),
          'CPU ms': fixed(value(name, 'cpu')),
          processes: value(name, 'processes'),
          'PSS MiB': fixed(value(name, 'pss'), 1),
        })),
      ),
      'With an empty cache of npm:',
      table(
        [...first.keys()].map((name) => ({
          started: name,
          rounds: first.get(name).length,
          'median ms': fixed(firstMs(name)),
        })),
      ),
      `${sessions} sessions of ${servers} servers each, without a host:`,
      table(Array.from(many, ([name, { processes, pss }]) => ({ started: name, processes, 'PSS MiB': fixed(pss, 1) }))),
      `\`doctor\` on ${checkedCount} servers that are installed:`,
      table(
        Array.from(checked, ([name, all]) => ({ started: name, rounds: all.length, 'median ms': fixed(median(all)) })),
      ),
    ],
    checks: [
      atMost('second start of an npx server, × node FILE', ratio('ms'), 1.1),
      atMost('its CPU', ratio('cpu'), 1.1),
      atMost('its processes', value('npx, resolved', 'processes'), 1, 0),
      atMost('its PSS', ratio('pss'), 1.05),
      atMost('first start ever, × npx', firstMs('npx, resolved') / firstMs('npx, as written'), 1.15),
    ],
  };
}
