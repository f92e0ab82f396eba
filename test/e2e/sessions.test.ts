import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { type Engine, startEngine } from '../../src/compose.js';
import { parseConfig } from '../../src/config/parse.js';
import { introductionOf } from '../../src/front/introduction/static-answers.js';
import { openSession } from '../../src/front/session.js';
import { createStdioWire } from '../../src/front/stdio-wire.js';
import type { RpcMessage } from '../../src/jsonrpc/messages.js';
import { thisComputer } from '../../src/platform/computer.js';
import { silentLog } from '../../src/platform/log.js';
import { overviewOf } from '../../src/workbench/overview.js';
import { callLog } from '../support/call-log.js';
import { devToolbox, withMarker, writeConfig } from '../support/configs.js';
import { stopWhenTestFinishes, temporaryDirectory } from '../support/launch.js';
import { linuxOnly } from '../support/platform.js';
import { scriptedServersWith } from '../support/processes.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';
import { type Message, modern } from '../support/workbench.js';

// Two agents on one engine in one process, each over pipes of its own, with real servers behind.

interface TestAgent {
  request(id: number, method: string, params: object): Promise<Message>;
  send(message: object): void;
  readonly received: readonly Message[];
  leave(): Promise<void>;
}

function connect(engine: Engine, configPath: string): TestAgent {
  const config = parseConfig(readFileSync(configPath, 'utf8'), {
    path: configPath,
    env: {},
    cwd: '/project',
    home: '/',
  });
  const [input, output] = [new PassThrough(), new PassThrough()];
  const received: Message[] = [];
  createInterface({ input: output }).on('line', (line) => received.push(JSON.parse(line)));
  const wire = createStdioWire(input, output, () => {});
  const send = (message: RpcMessage) => wire.send(message);
  const served = engine.openSession(config, wire);
  const session = openSession(introductionOf(overviewOf(config)), send, served.calls, silentLog);
  wire.onmessage = (message) => session.receive(message);
  wire.onclose = () => session.close();
  wire.start();
  const write = (message: object) => void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  return {
    received,
    send: write,
    request(id, method, params) {
      write({ id, method, params });
      return until(() => received.find((message) => message.id === id && message.method === undefined));
    },
    async leave() {
      input.end();
      await served.close();
    },
  };
}

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
  return { engine, log, marker, agents: [connect(engine, path), connect(engine, path)] as const };
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
