import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { startEngine } from '../../src/compose.js';
import { thisComputer } from '../../src/platform/computer.js';
import { createLog, silentLog } from '../../src/platform/log.js';
import { callLog } from '../support/call-log.js';
import { devToolbox, withMarker, writeConfig } from '../support/configs.js';
import { connectAgent } from '../support/engine-agents.js';
import { stopWhenTestFinishes, temporaryDirectory } from '../support/launch.js';
import { linuxOnly } from '../support/platform.js';
import { scriptedServersWith } from '../support/processes.js';
import { fixture } from '../support/servers.js';
import { textOf } from '../support/shared-engine.js';
import { until } from '../support/until.js';
import { modern } from '../support/workbench.js';

// Two agents on one engine in one process, each over pipes of its own, with real servers behind.

const use = (name: string, args: object = {}) => ({
  name: 'use_tool',
  arguments: { tool: { toolbox: 'dev', server: 'any', name }, arguments: args },
});
const clientInfo = { name: 'raw', version: '1.0.0' };
const handshake = { protocolVersion: '2025-11-25', capabilities: { elicitation: { form: {} } }, clientInfo };

async function setUp() {
  const marker = randomUUID();
  const log = callLog();
  const dir = temporaryDirectory();
  const config = withMarker(devToolbox({ any: fixture('--log', log.path) }), marker);
  const path = writeConfig(dir, config);
  const home = { ...thisComputer({ PATH: process.env['PATH'] }), home: dir };
  const engine = startEngine(home, silentLog, { keepsFiles: true });
  stopWhenTestFinishes(marker, async () => void (await engine.close()));
  return { engine, log, marker, agents: [connectAgent(engine, path), connectAgent(engine, path)] as const };
}

test('two agents of both eras share a process with equal ids; each gets its own answers, progress and questions', async () => {
  linuxOnly('counts processes in /proc');
  const { agents, marker } = await setUp();
  const [legacy, later] = agents;
  await legacy.request(0, 'initialize', handshake);
  const [first, second] = await Promise.all([
    legacy.request(1, 'tools/call', use('echo', { of: 'legacy' })),
    later.request(1, 'tools/call', modern(use('echo', { of: 'modern' }))),
  ]);
  expect(first.result).toMatchObject({ content: [{ text: '{"of":"legacy"}' }] });
  expect(second.result).toMatchObject({ content: [{ text: '{"of":"modern"}' }] });
  expect(scriptedServersWith(marker)).toHaveLength(2);
  expect(JSON.stringify(legacy.received)).not.toContain('"modern"');
  expect(JSON.stringify(later.received)).not.toContain('"legacy"');
});

test('an agent that goes cancels its own call and ends its own server; the other one works on', async () => {
  linuxOnly('counts processes in /proc');
  const { agents, log, marker } = await setUp();
  const [one, other] = agents;
  for (const agent of agents) await agent.request(0, 'initialize', handshake);
  for (const agent of agents) agent.send({ id: 1, method: 'tools/call', params: use('sleep', { ms: 3_000 }) });
  await until(() => log.methods('tools/call').length === 2);
  await one.leave();
  expect(scriptedServersWith(marker)).toHaveLength(1);
  expect(log.methods('notifications/cancelled').length).toBeLessThanOrEqual(1);
  const slept = await until(() => other.received.find(({ id }) => id === 1));
  expect(slept.result).not.toHaveProperty('isError');
  expect(one.received.filter(({ id }) => id === 1)).toEqual([]);
  expect((await other.request(2, 'tools/call', use('echo', { a: 1 }))).result).toMatchObject({
    content: [{ text: '{"a":1}' }],
  });
  expect(log.methods('start')).toHaveLength(2);
  onTestFinished(() => other.leave());
});

test('each session has an environment, a directory and a log of its own; its servers get these and no others', async () => {
  const marker = randomUUID();
  const engine = startEngine(thisComputer({ PATH: '/of/the/process' }), silentLog, { keepsFiles: false });
  stopWhenTestFinishes(marker, async () => void (await engine.close()));
  async function session(name: string) {
    const cwd = temporaryDirectory();
    const path = writeConfig(cwd, withMarker(devToolbox({ any: fixture('--noise', 'garbage') }), marker));
    const lines: string[] = [];
    const computer = { ...thisComputer({ PATH: process.env['PATH'], LANG: name, SECRET: name }), cwd };
    const log = createLog((line) => lines.push(`${name} ${line}`));
    const agent = connectAgent(engine, path, { computer, log });
    await agent.request(0, 'initialize', handshake);
    const results = await Promise.all([
      agent.request(1, 'tools/call', use('env')),
      agent.request(2, 'tools/call', use('cwd')),
    ]);
    await until(() => lines.some((line) => line.includes('dev/any: ignored')));
    const [env = '', where] = results.map(textOf);
    return { env: JSON.parse(env), isWhere: where === realpathSync(cwd), lines };
  }
  const [one, other] = await Promise.all([session('one'), session('other')]);
  expect([one.isWhere, other.isWhere]).toEqual([true, true]);
  expect([one.env, other.env]).toMatchObject([{ LANG: 'one' }, { LANG: 'other' }]);
  for (const { env } of [one, other]) {
    expect(env).not.toHaveProperty('SECRET');
    expect(env.PATH).toBe(process.env['PATH']);
  }
});
