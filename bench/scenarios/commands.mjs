import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { atMost, fixed, table } from '../rig/report.mjs';
import { median, spread } from '../rig/statistics.mjs';
import { createWorkspace, fakeServer, manyServers, programCopy, startWorkbench } from '../rig/systems.mjs';
import { interleave } from '../rig/traffic.mjs';

const servers = 50;
const toolsEach = 20;
const lines = {
  'node -e 0': ['-e', '0'],
  '--version': ['--version'],
  validate: ['validate'],
  status: ['--json'],
  list: ['list'],
};

/** Time of commands that start nothing, with 50 servers of 20 known tools each. */
export async function commands({ quick, inherit }) {
  const workspace = createWorkspace({ inherit });
  try {
    const configFile = workspace.writeConfig({
      toolboxes: {
        bench: {
          description: 'Servers to measure',
          mcpServers: manyServers(servers, fakeServer('--tools', toolsEach)),
        },
      },
    });
    await listAll(workspace, configFile);
    const measured = await interleave(Object.keys(lines), quick ? 7 : 31, (name) => run(name, workspace, configFile));
    return report(measured);
  } finally {
    workspace.remove();
  }
}

/** Fills the cache of tools. */
async function listAll(workspace, configFile) {
  const client = startWorkbench(workspace, configFile);
  await client.initialize();
  await client.callTool('open_toolbox', { toolbox: 'bench' });
  await client.close();
}

async function run(name, { env, directory }, configFile) {
  const own = lines[name];
  const args = name === 'node -e 0' ? own : [programCopy(), ...own];
  const begun = performance.now();
  const child = spawn(process.execPath, args, {
    env: { ...env, WORKBENCH_CONFIG: configFile },
    cwd: directory,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.resume();
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
  return performance.now() - begun;
}

function report(measured) {
  const ratio = (name) => median(measured.get(name)) / median(measured.get('node -e 0'));
  const rows = Array.from(measured, ([name, values]) => ({
    command: name,
    rounds: values.length,
    'median ms': fixed(median(values)),
    '± ms': fixed(spread(values), 1),
    '× node -e 0': fixed(ratio(name), 2),
  }));
  return {
    title: 'Commands',
    parts: [`Commands that start nothing, with ${servers} servers of ${toolsEach} known tools each:`, table(rows)],
    checks: [atMost(`\`list\` of ${servers} servers, × \`node -e 0\``, ratio('list'), 3.2)],
  };
}
