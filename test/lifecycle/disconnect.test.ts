// @module-tag slow
import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { callLog } from '../support/call-log.js';
import { devToolbox } from '../support/configs.js';
import { areAllAlone } from '../support/hosts.js';
import { prepareLaunch, stopWhenTestFinishes } from '../support/launch.js';
import { linuxOnly } from '../support/platform.js';
import { processesWith, scriptedServersWith } from '../support/processes.js';
import { fixture } from '../support/servers.js';
import { startStopwatch } from '../support/stopwatch.js';
import { until } from '../support/until.js';
import { initialize, modern, startWorkbench } from '../support/workbench.js';

linuxOnly('signals, processes in /proc');

const figureMs = 8_000;
const stubborn = ['--ignore-eof', '--ignore-sigterm', '--helper', 'child,double-fork,setsid'];

const hang = { name: 'use_tool', arguments: { tool: { toolbox: 'dev', server: 'any', name: 'hang' } } };

test.each([
  ['a legacy agent', 'a well-behaved server', []],
  ['a modern agent', 'a stubborn server', stubborn],
])(
  '%s that closes stdin during a call cancels it at %s, and the workbench ends within 8 s',
  async (agent, _, flags) => {
    const isLegacy = agent === 'a legacy agent';
    const log = callLog();
    const config = devToolbox({ any: fixture('--log', log.path, ...flags) });
    const workbench = startWorkbench({ config });
    if (isLegacy) await initialize(workbench);
    for (const id of ['a', 'b', 'c']) {
      workbench.send({ id, method: 'tools/call', params: isLegacy ? hang : modern(hang) });
    }
    await until(() => log.methods('tools/call').length === 3);

    const elapsed = startStopwatch();
    workbench.end();
    await until(() => log.methods('notifications/cancelled').length === 3);
    const sent = log.methods('tools/call').map(({ id }) => id);
    expect(log.methods('notifications/cancelled').map(({ requestId }) => requestId)).toEqual(sent);
    expect(await workbench.exited).toEqual({ code: 0, signal: null });
    expect(elapsed()).toBeLessThan(figureMs);
  },
);

// A host waits 5 s for another session.
test.each([
  ['a workbench that runs alone', true, figureMs],
  ['a workbench with a host', areAllAlone, 15_000],
])('%s ends in time after its agent is killed during a call', async (_, alone, withinMs) => {
  const log = callLog();
  const launch = prepareLaunch({ config: devToolbox({ any: fixture('--log', log.path, ...stubborn) }), alone });
  // A separate process, which can be killed: it starts the workbench, makes one call and waits.
  const agent = spawn(process.execPath, ['-e', agentScript, launch.command, ...launch.args], {
    env: launch.env,
    cwd: launch.cwd,
    stdio: 'ignore',
  });
  stopWhenTestFinishes(launch.marker, async () => void agent.kill('SIGKILL'));
  await until(() => log.methods('tools/call').length === 1);
  expect(scriptedServersWith(launch.marker)).toHaveLength(1);

  const elapsed = startStopwatch();
  agent.kill('SIGKILL');
  await until(() => processesWith(launch.marker).length === 0);
  expect(elapsed()).toBeLessThan(withinMs);
  expect(log.methods('notifications/cancelled')).toHaveLength(1);
});

const agentScript = `
  const { spawn } = require('node:child_process');
  const [command, ...args] = process.argv.slice(1);
  const workbench = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const send = (message) => workbench.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
  const clientInfo = { name: 'doomed', version: '1.0.0' };
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/call', params: ${JSON.stringify(hang)} });
  setInterval(() => {}, 1e6);
`;

test('the workbench ends even if its agent has stopped reading', async () => {
  const log = callLog();
  const launch = prepareLaunch({ config: devToolbox({ any: fixture('--log', log.path) }) });
  const child = spawn(launch.command, launch.args, { env: launch.env, cwd: launch.cwd, stdio: 'pipe' });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  stopWhenTestFinishes(launch.marker, async () => void child.kill('SIGKILL'));
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'deaf', version: '1.0.0' };
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
  send({ method: 'notifications/initialized' });
  const tool = { toolbox: 'dev', server: 'any', name: 'blob' };
  for (let id = 2; id < 12; id++) {
    send({
      id,
      method: 'tools/call',
      params: { name: 'use_tool', arguments: { tool, arguments: { bytes: 1_000_000 } } },
    });
  }
  // Far more than a pipe holds, and nothing has been read.
  await until(() => log.methods('tools/call').length === 10);
  const elapsed = startStopwatch();
  child.stdin.end();
  await exited;
  expect(elapsed()).toBeLessThan(figureMs);
});
