import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { serverConfig } from '../../../test/support/fake-port.js';
import { isRequest, type RpcMessage, type RpcRequest } from '../../jsonrpc/messages.js';
import { openConnection } from '../protocol/connection.js';
import type { HeaderList, Wire, WireSink } from '../protocol/wire.js';
import { createArgumentMirror } from './argument-mirror.js';

type Answer = (request: RpcRequest, headers: HeaderList) => Promise<object> | object;

/** A connection to a function. Returns what was sent: methods, and headers of calls. */
async function connectedTo(answer: Answer, settings: Partial<Wire> = { createMirror: createArgumentMirror }) {
  const sent: (string | HeaderList)[] = [];
  const warnings: string[] = [];
  let sink: WireSink | undefined;
  const wire: Wire = {
    start(to) {
      sink = to;
    },
    send(message, headers) {
      if (!isRequest(message)) return;
      sent.push(message.method);
      if (headers !== undefined) sent.push(headers);
      void Promise.resolve(answer(message, headers ?? [])).then((fields) =>
        sink?.message({ jsonrpc: '2.0', id: message.id, ...fields } as RpcMessage, 100),
      );
    },
    pause() {},
    resume() {},
    lastWords: async () => undefined,
    close: async () => {},
    ...settings,
  };
  const journal = {
    file: undefined,
    mask: (text: string) => text,
    note: () => {},
    warn: (text: string) => void warnings.push(text),
    output: () => {},
  };
  const outcome = await openConnection(wire, 'probe', {
    server: serverConfig({}),
    listener: { started: () => {}, ended: () => {}, toolsChanged: () => {} },
    signal: new AbortController().signal,
    agent: undefined,
    journal,
  });
  if (outcome.is === 'failed') throw outcome.failure;
  const { downstream } = outcome;
  const list = () => downstream.listTools(new AbortController().signal);
  return { downstream, list, sent, warnings };
}

const marked = (header: string) => ({
  name: 'query',
  inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': header } } },
});
const discovered = { result: { supportedVersions: ['2026-07-28'], capabilities: {}, resultType: 'complete' } };
const mismatch = { error: { code: -32_020, message: 'Header mismatch' } };

/** A modern server with one tool or more. */
function serverThat(onCall: (headers: HeaderList, calls: number) => object, tools = [marked('Region')]): Answer {
  let calls = 0;
  return ({ method }, headers) => {
    if (method === 'server/discover') return discovered;
    if (method === 'tools/list') return { result: { tools } };
    return onCall(headers, ++calls);
  };
}

const region = (header: string): HeaderList => [[`Mcp-Param-${header}`, 'eu']];

describe('arguments of a call', () => {
  test('are repeated in headers, also when the call continues after a question', async () => {
    const { downstream, list, sent } = await connectedTo(serverThat(() => ({ result: { content: [] } })));
    await list();
    await downstream.callTool('query', { region: 'eu' }, {});
    await downstream.callTool('query', { region: 'eu' }, { continuation: { requestState: 'x' } });
    await downstream.callTool('other', { region: 'eu' }, {});
    expect(sent.slice(2)).toEqual(['tools/call', region('Region'), 'tools/call', region('Region'), 'tools/call', []]);
  });

  test('are not repeated by a wire without headers, nor in the legacy era, where no tool is left out for its marks', async () => {
    const modern = serverThat(() => ({ result: { content: [] } }), [marked('not a name')]);
    const legacy: Answer = (request, headers) => {
      if (request.method === 'server/discover') return { error: { code: -32_601, message: 'Method not found' } };
      if (request.method === 'initialize') return { result: { protocolVersion: '2025-11-25', capabilities: {} } };
      return modern(request, headers);
    };
    for (const { downstream, list, sent } of [await connectedTo(modern, {}), await connectedTo(legacy)]) {
      expect((await list()).tools).toHaveLength(1);
      await downstream.callTool('query', { region: 'eu' }, {});
      expect(sent.at(-1)).toBe('tools/call');
    }
  });
});

describe('a call whose headers the server finds wrong', () => {
  test('is made once more, with the marks of a new listing', async () => {
    const tools = [marked('Region')];
    const server = serverThat(
      (headers) => (headers[0]?.[0] === 'Mcp-Param-Zone' ? { result: { content: [] } } : mismatch),
      tools,
    );
    const { downstream, list, sent } = await connectedTo(server);
    await list();
    tools.splice(0, 1, marked('Zone'));
    expect((await downstream.callTool('query', { region: 'eu' }, {})).value()).toEqual({ content: [] });
    expect(sent.slice(2)).toEqual(['tools/call', region('Region'), 'tools/list', 'tools/call', region('Zone')]);
  });

  test('is not made a third time', async () => {
    const { downstream, list, sent } = await connectedTo(serverThat(() => mismatch));
    await list();
    await expect(downstream.callTool('query', { region: 'eu' }, {})).rejects.toThrow('error -32020: Header mismatch');
    expect(sent.filter((one) => one === 'tools/call')).toHaveLength(2);
  });

  test('is not made again on a wire without headers', async () => {
    const { downstream, sent } = await connectedTo(
      serverThat(() => mismatch),
      {},
    );
    await expect(downstream.callTool('query', {}, {})).rejects.toThrow('error -32020: Header mismatch');
    expect(sent.filter((one) => one === 'tools/call')).toHaveLength(1);
  });
});

test('a tool with an invalid mark is left out and counted, the log says which one and why, once', async () => {
  const tools = [marked('Region'), { ...marked('a b'), name: 'bad' }, { ...marked('Zone'), name: 'good' }];
  const { list, warnings } = await connectedTo(serverThat(() => ({}), tools));
  const listed = await list();
  expect(listed.tools.map(({ name }) => name)).toEqual(['query', 'good']);
  expect(listed.omissions).toEqual({ headers: 1 });
  await list();
  expect(warnings).toEqual([
    'tools/list: bad: x-mcp-header at region is not a header name',
    'tools/list: left out 1 tool with an invalid x-mcp-header',
  ]);
});

test("the SDK's server accepts calls with these headers, and refuses them without", async () => {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'any', version: '1' });
    const inputSchema = z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) });
    server.registerTool('query', { inputSchema }, ({ region: text }) => ({ content: [{ type: 'text', text }] }));
    return server;
  });
  const post: Answer = async ({ jsonrpc, id, method, params = {} }, headers) => {
    const fixed = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const response = await handler.fetch(
      new Request('http://127.0.0.1/mcp', {
        method: 'POST',
        headers: {
          ...fixed,
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...(typeof params['name'] === 'string' && { 'mcp-name': params['name'] }),
          ...Object.fromEntries(headers),
        },
        body: JSON.stringify({ jsonrpc, id, method, params }),
      }),
    );
    const text = await response.text();
    return JSON.parse(text.match(/^data: (.*)$/m)?.[1] ?? text);
  };
  const args = { region: 'zürich ' };
  const mirroring = await connectedTo(post);
  await mirroring.list();
  expect((await mirroring.downstream.callTool('query', args, {})).value()).toMatchObject({
    content: [{ text: args.region }],
  });
  const plain = await connectedTo(post, {});
  await plain.list();
  await expect(plain.downstream.callTool('query', args, {})).rejects.toThrow('error -32020');
  await handler.close();
});
