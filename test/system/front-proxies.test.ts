import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eras, statsOf } from '../support/agents.js';
import { callLog } from '../support/call-log.js';
import { modernBody, modernHeaders } from '../support/http-in-process.js';
import { connectHttp, post, type RunningService } from '../support/http-service.js';
import { fixture } from '../support/servers.js';
import { until, untilHolds } from '../support/until.js';
import { proxyNames, startBehind } from './front-proxies.js';

describe.each(proxyNames)('%s', (name) => {
  test('clients of both eras list and call through it, and the service knows itself by the address of the proxy', async () => {
    const { service, direct } = await startBehind(name, { echo: fixture() });
    for (const era of eras) {
      const agent = await connectHttp(service, era);
      expect((await agent.listTools()).map((tool) => tool.name)).toEqual(['open_toolbox', 'use_tool']);
      expect((await agent.open('dev')).isError).toBeUndefined();
      expect((await agent.use('dev', 'echo', 'echo', { a: 1 })).content[0]?.text).toBe('{"a":1}');
      const { length } = (await agent.use('dev', 'echo', 'blob', { bytes: 1_000_000 })).content[0]?.text ?? '';
      expect(length).toBeGreaterThan(0);
      await agent.close();
    }
    const elsewhere = { Host: 'elsewhere.example' };
    expect((await raw(service, elsewhere, '{}')).status).toBe(403);
    expect((await raw(direct, elsewhere, '{}')).status).toBe(403);
  });

  test.each(eras)('progress of a call passes one by one while it runs (%s)', async (era) => {
    const { service } = await startBehind(name, { slow: fixture() });
    const agent = await connectHttp(service, era);
    const files = ['1', '2', '3'].map((one) => join(service.dir, one));
    const seen: unknown[] = [];
    const tool = { toolbox: 'dev', server: 'slow', name: 'follow' };
    const call = agent.request(
      'tools/call',
      { name: 'use_tool', arguments: { tool, arguments: { files } } },
      { onprogress: (progress) => seen.push(progress) },
    );
    for (const [at, file] of files.entries()) {
      writeFileSync(file, '');
      await until(() => seen.length === at + 1, { what: `progress ${at + 1}` });
    }
    expect(seen).toMatchObject([{ progress: 1 }, { progress: 2 }, { progress: 3 }]);
    expect(await call).toMatchObject({ content: [{ text: 'found 3 files' }] });
    await agent.close();
  });

  test('a modern client that closes its connection cancels its call, a legacy one does not', async () => {
    const log = callLog();
    const { service } = await startBehind(name, { slow: fixture('--log', log.path) });
    const [legacy, modern] = await Promise.all(eras.map((era) => connectHttp(service, era)));
    const other = await connectHttp(service, 'v2 legacy');
    if (legacy === undefined || modern === undefined) throw new Error('no client');
    const file = join(service.dir, 'go');
    const ends: Promise<unknown>[] = [];
    for (const agent of [legacy, modern]) ends.push(agent.use('dev', 'slow', 'wait_for', { file }).catch(() => 'gone'));
    await until(() => log.methods('tools/call').length === 2);
    await legacy.close();
    await modern.close();
    expect(await Promise.all(ends)).toEqual(['gone', 'gone']);
    // A proxy that goes on would notice it with the first comment line, 20 s after the call.
    await until(() => log.methods('notifications/cancelled').length > 0, { withinMs: 12_000, what: 'a cancellation' });
    const stats = await statsOf(other, 'dev', 'slow');
    expect(stats.received.filter((one) => one.name === 'wait_for')).toHaveLength(2);
    expect(stats.cancelled).toHaveLength(1);
    writeFileSync(file, '');
    await other.close();
  });

  test('lets a silent stream live with comment lines, and tells a legacy client of an edit in it', {
    tags: ['slow'],
  }, async () => {
    const { service } = await startBehind(name, { slow: fixture() });
    const { headers } = await post(service, {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
    });
    const stream = await fetch(service.url, {
      headers: {
        Authorization: `Bearer ${service.token}`,
        Accept: 'text/event-stream',
        'Mcp-Session-Id': headers.get('mcp-session-id') ?? '',
      },
    });
    const params = {
      name: 'use_tool',
      arguments: { tool: { toolbox: 'dev', server: 'slow', name: 'hang' }, arguments: {} },
    };
    const call = await post(service, modernBody(1, 'tools/call', params), modernHeaders('tools/call', params));
    expect([stream.status, call.status]).toEqual([200, 200]);
    const [ofStream, ofCall] = [reading(stream), reading(call)];
    await until(() => ofStream().includes(':\n\n') && ofCall().includes(':\n\n'), {
      withinMs: 50_000,
      what: 'comments',
    });
    edit(service, ({ toolboxes }) => Object.assign(toolboxes, { other: toolboxes['dev'] }));
    await until(() => ofStream().includes('notifications/tools/list_changed'));
    expect([ofStream(), ofCall()].map((text) => text.replaceAll(':\n\n', ''))).toEqual([
      'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n',
      '',
    ]);
  });

  test('refusals pass unchanged: no token, a body that is too large, too many headers and too long ones', async () => {
    const { service, direct } = await startBehind(name, { echo: fixture() });
    const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const own = { ...json, Authorization: `Bearer ${service.token}` };
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`X-${at}`, '1']));
    const cases: readonly (readonly [number, Record<string, string>, string])[] = [
      [401, json, '{}'],
      [401, { ...json, Authorization: 'Bearer wrong' }, '{}'],
      [413, own, `"${'x'.repeat(4_194_304)}"`],
      [431, { ...own, ...many }, '{}'],
      [431, { ...own, 'X-Long': 'x'.repeat(17_000) }, '{}'],
    ];
    for (const [status, headers, body] of cases) {
      const [through, without] = [await raw(service, headers, body), await raw(direct, headers, body)];
      expect(through).toEqual(without);
      expect(through.status).toBe(status);
    }
  });
});

test('HAProxy finds the service healthy without naming a host, and not once it is stopped', async () => {
  const { direct, health } = await startBehind('HAProxy', { slow: fixture() });
  expect(await health()).toBe('UP L7OK 200');
  const agent = await connectHttp({ ...direct, token: direct.token }, 'v2 legacy');
  const file = join(direct.dir, 'go');
  const call = agent.use('dev', 'slow', 'wait_for', { file });
  await until(async () => (await statsOf(agent, 'dev', 'slow')).received.some((one) => one.name === 'wait_for'));
  direct.kill('SIGTERM');
  await untilHolds(async () => expect(await health()).toBe('DOWN L7STS 503'));
  writeFileSync(file, '');
  expect((await call).content[0]?.text).toBe(`found ${file}`);
  await agent.close();
});

interface Answer {
  readonly status: number | undefined;
  readonly challenge: string | undefined;
  readonly body: string;
}

/** What is sent as it is, on a connection of its own; `fetch` chooses the header `Host` by itself. */
function raw({ url }: RunningService, headers: Readonly<Record<string, string>>, body: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent: false, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        const { statusCode: status, headers: received } = response;
        resolve({ status, challenge: received['www-authenticate'], body: text });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

interface Written {
  readonly toolboxes: Record<string, object>;
}

function edit({ dir }: RunningService, change: (config: Written) => void): void {
  const path = join(dir, 'workbench-config.json');
  const config: Written = JSON.parse(readFileSync(path, 'utf8'));
  change(config);
  writeFileSync(path, JSON.stringify(config));
}

/** What has arrived of a stream so far; it is closed when the test ends. */
function reading({ body }: Response): () => string {
  let text = '';
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  onTestFinished(() => reader?.cancel().catch(() => {}));
  void (async () => {
    for (;;) {
      const chunk = await reader?.read();
      if (chunk === undefined || chunk.done) return;
      text += decoder.decode(chunk.value);
    }
  })().catch(() => {});
  return () => text;
}
