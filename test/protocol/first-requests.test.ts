import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { prepareLaunch, stopWhenTestFinishes } from '../support/launch.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';
import { modern, startWorkbench } from '../support/workbench.js';

const config = { toolboxes: { dev: { description: 'For tests', mcpServers: { any: fixture() } } } };
const hello = (protocolVersion: string) => ({
  protocolVersion,
  capabilities: {},
  clientInfo: { name: 'raw', version: '1.0.0' },
});

// Every workbench names its own configuration file.
const withoutFile = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll(/Configuration: [^\\]*/g, ''));

describe('an unusual first request does not change later responses', () => {
  test.each(['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '1999-01-01'])(
    'an incomplete handshake, then a complete one with %s',
    async (revision) => {
      const usual = startWorkbench({ config });
      const unusual = startWorkbench({ config });
      await unusual.request('initialize', { ...hello('2025-06-18'), clientInfo: { name: 'raw' } });
      const answers = [];
      for (const workbench of [usual, unusual]) {
        const opened = await workbench.request('initialize', hello(revision));
        workbench.notify('notifications/initialized');
        const tools = await workbench.request('tools/list', {});
        answers.push([opened.result, tools.result, (await workbench.request('ping', {})).result]);
      }
      const [one, other] = answers.map(withoutFile);
      expect(one).toEqual(other);
      expect(one[0].protocolVersion).toBe(revision === '1999-01-01' ? '2025-11-25' : revision);
    },
  );

  test.each(['server/discover', 'tools/list'])('an unknown method, then %s in 2026-07-28', async (method) => {
    const usual = startWorkbench({ config });
    const unusual = startWorkbench({ config });
    expect((await unusual.request('no/such/method', modern())).error).toMatchObject({ code: -32_601 });
    const [first, second] = [await usual.request(method, modern()), await unusual.request(method, modern())];
    expect(withoutFile(first.result)).toEqual(withoutFile(second.result));
  });
});

test('calls sent together with the first requests are answered, in either era', async () => {
  const call = {
    name: 'use_tool',
    arguments: { tool: { toolbox: 'dev', server: 'any', name: 'echo' }, arguments: { a: 1 } },
  };
  const legacy = startWorkbench({ config });
  legacy.send({ id: 1, method: 'initialize', params: hello('2025-06-18') });
  legacy.send({ method: 'notifications/initialized' });
  legacy.send({ id: 2, method: 'tools/list', params: {} });
  legacy.send({ id: 3, method: 'tools/call', params: call });
  legacy.send({ id: 4, method: 'ping' });
  const later = startWorkbench({ config });
  later.send({ id: 1, method: 'server/discover', params: modern() });
  later.send({ id: 3, method: 'tools/call', params: modern(call) });
  for (const workbench of [legacy, later]) {
    expect((await workbench.answerTo(3)).result).toMatchObject({ content: [{ type: 'text', text: '{"a":1}' }] });
    expect((await workbench.answerTo(1)).result).toHaveProperty('instructions');
  }
  expect((await legacy.answerTo(4)).result).toEqual({});
  // Loading the engine for the call must not repeat the handshake.
  expect(legacy.lines.filter((line) => line.includes('protocolVersion'))).toHaveLength(1);
});

test('a client that pauses after the handshake is served', async () => {
  const workbench = startWorkbench({ config });
  await workbench.request('initialize', hello('2025-11-25'));
  workbench.notify('notifications/initialized');
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect((await workbench.request('tools/list', {})).result).toHaveProperty('tools');
  const opened = await workbench.request('tools/call', { name: 'open_toolbox', arguments: { toolbox: 'dev' } });
  expect(opened.result).not.toHaveProperty('isError');
});

test('a client that closes our stderr is served', async () => {
  const { command, args, env, cwd, marker } = prepareLaunch({ config });
  const child = spawn(command, args, { env, cwd, stdio: 'pipe' });
  stopWhenTestFinishes(marker, async () => void child.stdin.end());
  child.stderr.destroy();
  const output: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => output.push(text));
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  send({ id: 1, method: 'initialize', params: hello('2025-11-25') });
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/call', params: { name: 'open_toolbox', arguments: { toolbox: 'dev' } } });
  await until(() => output.join('').includes('servers_connected'));
  child.stdin.end();
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
});
