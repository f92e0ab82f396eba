import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Tool } from '../../contract/types.js';
import { paramHeaders, scanParamHeaders } from './param-headers.js';

const schema = (properties: object, more: object = {}) => ({ type: 'object' as const, properties, ...more });
const marked = (name: unknown, type = 'string') => ({ type, 'x-mcp-header': name });

function declared(inputSchema: object) {
  const scan = scanParamHeaders(inputSchema);
  if (!scan.valid) throw new Error(scan.reason);
  return scan.declarations;
}

describe('marks of a schema', () => {
  test('are found on properties at any depth', () => {
    expect(
      declared(schema({ region: marked('Region'), at: schema({ n: marked('N', 'integer'), other: {} }), rest: {} })),
    ).toEqual([
      { name: 'Region', path: ['region'] },
      { name: 'N', path: ['at', 'n'] },
    ]);
  });

  test('are neither properties nor values that have the same name', () => {
    expect(
      declared(schema({ 'x-mcp-header': { type: 'string' }, a: { default: marked('A'), enum: [marked('B')] } })),
    ).toEqual([]);
  });

  test.each<[string, object, string]>([
    ['an empty name', schema({ a: marked('') }), 'x-mcp-header at a is not a header name'],
    ['a name with a space', schema({ a: marked('A B') }), 'is not a header name'],
    ['a line break in the name', schema({ a: marked('A\r\nX: 1') }), 'is not a header name'],
    ['a name in another script', schema({ a: marked('Région') }), 'is not a header name'],
    ['a name that is no text', schema({ a: marked(1) }), 'is not a header name'],
    ['a number', schema({ a: marked('A', 'number') }), 'is not on a string, integer or boolean'],
    ['several types', schema({ a: { ...marked('A'), type: ['string'] } }), 'is not on a string, integer or boolean'],
    ['no type', schema({ a: { 'x-mcp-header': 'A' } }), 'is not on a string, integer or boolean'],
    ['the same name in other letters', schema({ a: marked('A'), b: marked('a') }), 'b has the name of another'],
    ['the root', schema({}, { 'x-mcp-header': 'A' }), 'x-mcp-header at the root is not on a property'],
    ['an item', schema({ a: { items: schema({ b: marked('B') }) } }), 'at a.items.b is not on a property'],
    ['a choice', schema({ a: { anyOf: [{ type: 'null' }, marked('A')] } }), 'at a.anyOf is not on a property'],
    ['a definition', schema({}, { $defs: { a: marked('A') } }), 'at $defs is not on a property'],
  ])('are refused: %s', (_, inputSchema, reason) => {
    expect(scanParamHeaders(inputSchema)).toEqual({ valid: false, reason: expect.stringContaining(reason) });
  });
});

describe('headers of a call', () => {
  test.each<[unknown, string]>([
    ['us-west1', 'us-west1'],
    ['a\tb c', 'a\tb c'],
    [42, '42'],
    [-7, '-7'],
    [false, 'false'],
    ['', '=?base64??='],
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
  ])('encode %j', (value, header) => {
    expect(paramHeaders([{ name: 'A', path: ['a'] }], { a: value })).toEqual([['Mcp-Param-A', header]]);
  });

  test.each([{}, { a: null }, { a: {} }, { a: ['x'] }, { a: 2 ** 60 }, { a: Number.POSITIVE_INFINITY }])(
    'leave out an argument without such a value: %j',
    (args) => expect(paramHeaders([{ name: 'A', path: ['a'] }], args)).toEqual([]),
  );

  test('are read from the arguments themselves, not from what every object has', () => {
    expect(paramHeaders([{ name: 'A', path: ['constructor', 'name'] }], {})).toEqual([]);
    expect(paramHeaders([{ name: 'A', path: ['a', 'length'] }], { a: 'text' })).toEqual([]);
  });
});

/** The SDK's client before the server, with the headers of its last call. */
async function sdkClient(server: () => McpServer) {
  const handler = createMcpHandler(server);
  let headers: object = {};
  const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), {
    fetch: async (url, init) => {
      const request = new Request(url, init);
      headers = Object.fromEntries([...request.headers].filter(([name]) => name.startsWith('mcp-param-')));
      return handler.fetch(request);
    },
  });
  const client = new Client({ name: 'oracle', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, handler, headers: () => headers };
}

const textResult = { content: [{ type: 'text' as const, text: 'done' }] };

describe('the SDK', () => {
  const name = fc.constantFrom('A', 'a', 'B', 'C-1', 'x_y', '', 'a b', 'ü', 'T\r', 1, null);
  const type = fc.constantFrom('string', 'integer', 'boolean', 'number', 'object', ['string']);
  const leaf = fc.record(
    {
      type,
      'x-mcp-header': fc.option(name, { nil: undefined, freq: 3 }),
      default: fc.constant({ 'x-mcp-header': 'A' }),
    },
    { requiredKeys: ['type'] },
  );
  const named = (child: fc.Arbitrary<object>) =>
    fc.dictionary(fc.constantFrom('a', 'b', '$ref', 'x-mcp-header'), child, { maxKeys: 2 });
  const around = (child: fc.Arbitrary<object>): fc.Arbitrary<object> =>
    fc
      .tuple(
        leaf,
        fc.oneof(
          fc.record({ properties: named(child) }),
          fc.record({ items: child }),
          fc.record({ anyOf: fc.array(child, { maxLength: 2 }), not: child }),
          fc.record({ patternProperties: named(child), $defs: named(child) }),
        ),
      )
      .map(([one, more]) => ({ ...one, ...more }));
  const node = fc.oneof(leaf, around(leaf), around(around(leaf)));
  const properties = fc.dictionary(fc.constantFrom('a', 'b', 'c'), node, { maxKeys: 3 });

  test('finds the same schemas invalid', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => void vi.restoreAllMocks());
    let listed: Tool[] = [];
    const { client } = await sdkClient(() => {
      const server = new McpServer({ name: 'any', version: '1' }, { capabilities: { tools: {} } });
      server.server.setRequestHandler('tools/list', () => ({ tools: listed }));
      return server;
    });
    const verdicts = new Set<boolean>();
    await fc.assert(
      fc.asyncProperty(fc.array(properties, { minLength: 1, maxLength: 20 }), async (schemas) => {
        listed = schemas.map((one, index) => ({
          name: `tool_${index}`,
          inputSchema: JSON.parse(JSON.stringify(schema(one))),
        }));
        const { tools } = await client.listTools(undefined, { cacheMode: 'refresh' });
        const ours = listed.filter(({ inputSchema }) => scanParamHeaders(inputSchema).valid);
        expect(ours.map((one) => one.name)).toEqual(tools.map((one) => one.name));
        for (const tool of listed) verdicts.add(ours.includes(tool));
      }),
      { numRuns: 50 },
    );
    expect(verdicts.size).toBe(2);
  });

  test('sends the same headers, and its server accepts ours', async () => {
    const inputSchema = schema({
      text: marked('Text'),
      count: marked('Count', 'integer'),
      on: marked('On', 'boolean'),
      at: schema({ place: marked('Place') }),
    });
    const { client, handler, headers } = await sdkClient(() => {
      const server = new McpServer({ name: 'any', version: '1' });
      server.registerTool(
        'mark',
        { inputSchema: fromJsonSchema(JSON.parse(JSON.stringify(inputSchema))) },
        () => textResult,
      );
      return server;
    });
    await client.listTools();
    const value = fc.string({ unit: 'binary', maxLength: 20 }).filter((text) => text.isWellFormed());
    const args = fc.record(
      {
        text: fc.oneof(value, fc.constantFrom('=?base64?x?=', ' a', 'a\t', 'a\n')),
        count: fc.integer(),
        on: fc.boolean(),
        at: fc.record({ place: value }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(args, async (given) => {
        await client.callTool({ name: 'mark', arguments: given });
        const ours = paramHeaders(declared(inputSchema), given);
        expect(Object.fromEntries(ours.map(([one, header]) => [one.toLowerCase(), header]))).toEqual(headers());
      }),
      { numRuns: 50 },
    );
    await handler.close();
  });
});
