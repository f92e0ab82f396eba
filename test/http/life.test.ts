import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eras } from '../support/agents.js';
import { devToolbox } from '../support/configs.js';
import { connectHttp, post, type RunningService, startService } from '../support/http-service.js';
import { processesWith } from '../support/processes.js';
import { fixture } from '../support/servers.js';
import { until, untilHolds } from '../support/until.js';

// @module-tag slow

const configOf = ({ dir }: RunningService) => join(dir, 'workbench-config.json');

interface Written {
  http?: object;
  readonly toolboxes: Record<string, { readonly mcpServers: Record<string, object> }>;
}

function edit(service: RunningService, change: (config: Written) => void): void {
  const config: Written = JSON.parse(readFileSync(configOf(service), 'utf8'));
  change(config);
  writeFileSync(configOf(service), JSON.stringify(config));
}

const generous = { limits: { requestsPerSecond: 100_000, inFlight: 10_000 } };

describe('SIGTERM', () => {
  test('lets 20 running calls of both eras end, refuses new ones, and leaves no server behind', async () => {
    const service = await startService({ config: { ...devToolbox({ slow: fixture() }), http: generous } });
    const agents = await Promise.all(eras.map((era) => connectHttp(service, era)));
    const go = join(service.dir, 'go');
    const calls = Array.from({ length: 20 }, (_, at) => agents[at % 2]?.use('dev', 'slow', 'wait_for', { file: go }));
    await untilHolds(async () => {
      const { calls: running } = JSON.parse(
        String((await agents[0]?.use('dev', 'slow', 'stats', {}))?.content[0]?.text),
      );
      expect(running?.length ?? 21).toBeGreaterThanOrEqual(20);
    });
    service.kill('SIGTERM');
    const health = () => fetch(service.url.replace('/mcp', '/readyz')).then(({ status }) => status);
    await untilHolds(async () => expect(await health()).toBe(503));
    const refused = await post(service, { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('2');
    writeFileSync(go, '');
    for (const call of calls) expect((await call)?.content[0]?.text).toBe(`found ${go}`);
    expect(await service.exited).toEqual({ code: 0, signal: null });
    await untilHolds(() => expect(processesWith(service.marker)).toEqual([]));
  });

  test('a second time ends the waiting: a call that runs fails with its outcome unknown', async () => {
    const service = await startService({ config: devToolbox({ slow: fixture() }) });
    const agent = await connectHttp(service, 'v2 legacy');
    await agent.use('dev', 'slow', 'echo', {});
    const hanging = agent.use('dev', 'slow', 'hang', {});
    await until(async () => {
      const answer = await agent.use('dev', 'slow', 'stats', {});
      return JSON.stringify(answer).includes('hang');
    });
    service.kill('SIGTERM');
    await until(() => service.stderr().includes('waiting for 1 running call'));
    service.kill('SIGTERM');
    const text = (await hanging).content[0]?.text;
    expect(text).toContain("Tool 'hang' of server 'slow' (toolbox 'dev') failed: the service was stopped");
    expect(text).toContain('It is unknown whether the tool took effect. The call was not retried.');
    expect(await service.exited).toEqual({ code: 0, signal: null });
  });
});

describe('kill -9', () => {
  test('leaves no server behind, and clients of every kind go on after the next start', async () => {
    const service = await startService({ config: { ...devToolbox({ echo: fixture() }), http: generous } });
    const agents = await Promise.all(
      (['v1', 'v2 legacy', 'v2 modern'] as const).flatMap((flavour) =>
        Array.from({ length: 5 }, () => connectHttp(service, flavour)),
      ),
    );
    for (const agent of agents) await agent.use('dev', 'echo', 'echo', { a: 1 });
    service.kill('SIGKILL');
    await service.exited;
    await untilHolds(() => expect(processesWith(service.marker)).toEqual([]));
    await service.again();
    for (const agent of agents)
      expect((await agent.use('dev', 'echo', 'echo', { a: 2 })).content[0]?.text).toBe('{"a":2}');
  });
});

describe('an edit of the file', () => {
  test('reaches every client, changes nothing of servers that are unchanged, and no call fails', async () => {
    const service = await startService({ config: { ...devToolbox({ echo: fixture() }), http: generous } });
    const agents = await Promise.all(eras.map((era) => connectHttp(service, era)));
    const pidOf = async () =>
      JSON.parse(String((await agents[0]?.use('dev', 'echo', 'stats', {}))?.content[0]?.text)).pid;
    const before = await pidOf();
    const load = new AbortController();
    const failed: unknown[] = [];
    const callers = agents.map(async (agent) => {
      while (!load.signal.aborted) {
        const answer = await agent.use('dev', 'echo', 'echo', { a: 1 });
        if (answer.isError === true) failed.push(answer);
      }
    });
    for (let round = 0; round < 5; round++) {
      const name = `added-${round}`;
      edit(
        service,
        ({ toolboxes }) => (toolboxes[name] = { mcpServers: { more: toolboxes['dev']?.mcpServers['echo'] ?? {} } }),
      );
      await untilHolds(async () => {
        for (const agent of agents) expect(JSON.stringify(await agent.request('tools/list', {}))).toContain(name);
      });
    }
    load.abort();
    await Promise.all(callers);
    expect(failed).toEqual([]);
    expect(await pidOf()).toBe(before);
    expect((await agents[1]?.use('added-4', 'more', 'echo', { b: 2 }))?.content[0]?.text).toBe('{"b":2}');
  });

  test('is announced to legacy clients in their stream, and to modern ones in their subscription', async () => {
    const service = await startService({ config: devToolbox({ echo: fixture() }) });
    const headers = {
      Authorization: `Bearer ${service.token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
    const began = await post(service, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
    const session = { ...headers, 'Mcp-Session-Id': began.headers.get('mcp-session-id') ?? '' };
    const stream = await fetch(service.url, { headers: session });
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    const listen = {
      jsonrpc: '2.0',
      id: 'mine',
      method: 'subscriptions/listen',
      params: {
        notifications: { toolsListChanged: true },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    };
    const modern = await post(service, listen, {
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'subscriptions/listen',
    });
    const [ofLegacy, ofModern] = [reading(stream), reading(modern)];
    await until(() => ofModern().includes('acknowledged'));
    edit(service, ({ toolboxes }) => Object.assign(toolboxes, { other: toolboxes['dev'] }));
    await until(() => ofLegacy().includes('notifications/tools/list_changed'));
    await until(() => ofModern().includes('notifications/tools/list_changed'));
    expect(ofModern()).toContain('"io.modelcontextprotocol/subscriptionId":"mine"');
  });

  test('that has a fault changes nothing, and one of "http" is said to need a restart', async () => {
    const service = await startService({ config: devToolbox({ echo: fixture() }) });
    const agent = await connectHttp(service, 'v2 legacy');
    const good = readFileSync(configOf(service), 'utf8');
    writeFileSync(configOf(service), good.slice(0, -3));
    await until(() => service.stderr().includes('the configuration has changed and cannot be used'));
    expect((await agent.use('dev', 'echo', 'echo', {})).isError).toBeUndefined();
    writeFileSync(configOf(service), good);
    edit(service, (config) => (config.http = { origins: ['https://app.example.com'] }));
    await until(() => service.stderr().includes('"http" was changed; the service uses it after a restart'));
    await agent.close();
  });
});

/** What has arrived of a stream so far. */
function reading({ body }: Response): () => string {
  let text = '';
  void (async () => {
    if (body === null) return;
    const decoder = new TextDecoder();
    for await (const chunk of body) text += decoder.decode(chunk);
  })().catch(() => {});
  return () => text;
}
