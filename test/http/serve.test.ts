import { statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { flavours } from '../support/agents.js';
import { devToolbox } from '../support/configs.js';
import { connectHttp, post, startService } from '../support/http-service.js';
import { listen } from '../support/loopback.js';
import { processesWith } from '../support/processes.js';
import { fixture } from '../support/servers.js';
import { untilHolds } from '../support/until.js';

describe.each(flavours)('over HTTP a %s client', (flavour) => {
  test('lists the two tools, opens a toolbox and calls a tool', async () => {
    const service = await startService({ config: devToolbox({ echo: fixture() }) });
    const agent = await connectHttp(service, flavour);
    expect((await agent.listTools()).map(({ name }) => name)).toEqual(['open_toolbox', 'use_tool']);
    expect(agent.instructions).toContain('dev');
    const opened = JSON.parse((await agent.open('dev')).content[0]?.text ?? '');
    expect(opened).toMatchObject({ toolbox: 'dev', servers_connected: 1 });
    expect((await agent.use('dev', 'echo', 'echo', { text: 'hi' })).isError).toBeUndefined();
    await agent.close();
  });
});

test('a service that starts on a fresh machine makes its token once, which only its user can read', async () => {
  const service = await startService({});
  const { token, home } = service;
  const file = join(home, '.local', 'share', 'mcp-workbench', 'http-token');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  service.kill('SIGTERM');
  await service.exited;
  expect((await service.again()).token).toBe(token);
});

test('a port that another program listens on is named, and the program ends with code 1', async () => {
  const { port } = await listen(createServer());
  await expect(startService({ address: `127.0.0.1:${port}` })).rejects.toThrow(
    `Cannot listen on 127.0.0.1:${port}: another program listens there`,
  );
});

test('nothing is started by lists, and SIGTERM leaves no server behind', async () => {
  const service = await startService({ config: devToolbox({ echo: fixture() }) });
  const agent = await connectHttp(service, 'v2 legacy');
  await agent.listTools();
  expect(processesWith(service.marker)).toHaveLength(1);
  await agent.use('dev', 'echo', 'echo', {});
  expect(processesWith(service.marker).length).toBeGreaterThan(1);
  service.kill('SIGTERM');
  expect(await service.exited).toEqual({ code: 0, signal: null });
  await untilHolds(() => expect(processesWith(service.marker)).toEqual([]));
});

test('after kill -9 and a start a legacy client goes on with its session', async () => {
  const service = await startService({ config: devToolbox({ echo: fixture() }) });
  const agent = await connectHttp(service, 'v1');
  await agent.use('dev', 'echo', 'echo', {});
  service.kill('SIGKILL');
  await service.exited;
  await service.again();
  expect((await agent.use('dev', 'echo', 'echo', {})).isError).toBeUndefined();
});

test('a request without the token is refused before its body is read', async () => {
  const service = await startService({});
  const answer = await post({ url: service.url, token: 'wrong' }, { jsonrpc: '2.0', id: 1, method: 'ping' });
  expect(answer.status).toBe(401);
  expect(await answer.text()).toBe('');
});
