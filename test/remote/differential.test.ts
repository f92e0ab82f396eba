// @module-tag slow
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { connectBare } from '../support/bare-client.js';
import { devToolbox, type ServerEntry, type TestConfig } from '../support/configs.js';
import { type Era, serverOf } from '../support/forwarding.js';
import { hostile, modernHostile } from '../support/hostile.js';
import { prepareLaunch } from '../support/launch.js';
import { allOverHttp, type RemoteOptions } from '../support/remote.js';
import { modern } from '../support/workbench.js';

// The same servers over stdio and over HTTP: what the agent receives must be the same, byte for byte.

type Call = readonly [tool: string, args: object];

const text = (value: string) => ({ type: 'text', text: value });
const result = (more: object): Call => ['result', { content: [], ...more }];

const calls: readonly Call[] = [
  ['echo', { path: 'a b', n: [1, null], 'ü ✓': true, ['__proto__']: { polluted: 1 } }],
  result({
    content: [
      { ...text('plain ✓ \u2028\u0085\r\n'), annotations: { audience: ['user'], priority: 0.5 }, _meta: { a: 1 } },
      { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
      { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'file:///a%20b.txt', name: 'a b', mimeType: 'text/plain', size: 12 },
      { type: 'resource', resource: { uri: 'memo://1', text: 'a memo', mimeType: 'text/plain' } },
      { type: 'hologram', data: 'depth' },
    ],
  }),
  result({ fromTheFuture: { a: [1, { b: null }] }, next: { deep: [{}] } }),
  result({ structuredContent: { list: [1, null, 'x'], ['__proto__']: { a: 1 } } }),
  ...[[1, { a: null }], 'text', 7, 0, '', null, false].map((structuredContent) => result({ structuredContent })),
  result({ content: [text('no such file')], isError: true, structuredContent: { errno: 2 } }),
  result({ _meta: { 'example.com/cost': { tokens: 7 }, 'mcp-workbench/code': 'FORGED', traceparent: '00-1-1-01' } }),
  ['result', { resultType: 'task', taskId: '1' }],
  ['result', { nothing: 'of the kind' }],
  ...[-32_602, -32_603, -32_000, -32_021, -32_042, 17].map(
    (code): Call => ['rpc_error', { code, message: `because of ${code}`, data: { secret: 1 } }],
  ),
  ['progress', { steps: 3 }],
  ['sleep', { ms: 50 }],
  ['blob', { bytes: 5_000_000 }],
  ['blob', { bytes: 12_000_000 }],
  ['list_changed', { count: 3 }],
  ['change_tools', { add: ['new one'], remove: ['echo'], notify: true }],
  ['no-such-tool', {}],
];

const large = 'x'.repeat(100_000);
/** Results that no JSON library writes. */
const written = [
  '{"content":[],"structuredContent":{"a":12345678901234567890.10,"b":1e400,"c":-0,"d":1E5}}',
  `{"content":[{"type":"text","text":"${large}"}],"structuredContent":{"a":12345678901234567890.10,"b":9007199254740993}}`,
  `{ "content" : [ {"type":"text",\t"text":"${large}"}  ] ,\t"structuredContent":{ "__proto__" : {"x":1 } , "\\u0061":"\\u00e9\\/" } }`,
  `{"content":[{"type":"text","text":"${large}"}],"structuredContent":{"a":1,"a":2}}`,
  `{"content":[],"content":[{"type":"text","text":"${large}"}]}`,
  `{"content":[{"type":"text","text":"\\ud800 ${large}"}]}`,
  '7',
  'null',
  '[]',
  '{"content":"no list"}',
].map((json) => Buffer.from(json));
const invalid = Buffer.concat([
  Buffer.from(`{"content":[{"type":"text","text":"${large}`),
  Buffer.from([0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80]),
  Buffer.from('"}]}'),
]);

const schema = { type: 'object' };
const tools = [
  { name: 'echo', inputSchema: schema, fromTheFuture: { a: 1 }, outputSchema: { ...schema, required: ['x'] } },
  { name: 'ü/✓ name', inputSchema: { ...schema, properties: { ['__proto__']: { type: 'string' } } } },
  { name: 'hidden\u202E', inputSchema: schema },
  { name: 'no schema' },
  { inputSchema: schema },
  { name: 'echo', inputSchema: schema },
  null,
  'x',
  7,
  [],
  { name: 'long', inputSchema: schema, execution: { taskSupport: 'required' } },
  { name: 'x', description: 'a'.repeat(100_000), inputSchema: schema },
];

/** Long answers by their digest: a failure should be readable. */
function digest(line: Buffer): string {
  if (line.length < 5_000) return line.toString('latin1');
  return `${line.length} bytes, ${createHash('sha256').update(line).digest('hex')}`;
}

const use = (server: string, name: string, args: object) => ({
  name: 'use_tool',
  arguments: { tool: { toolbox: 'dev', server, name }, arguments: args },
});
const open = (more: object = {}) => ({ name: 'open_toolbox', arguments: { toolbox: 'dev', ...more } });

const requests = [
  open(),
  open({ query: 'echo' }),
  open({ detail: 'full' }),
  ...calls.map(([name, args]) => use('any', name, args)),
  ...[...written, invalid].map((bytes) => use('raw', 'attack', { base64: bytes.toString('base64') })),
  use('odd', 'echo', { a: 1 }),
  use('odd', 'long', {}),
];

const serversOf = (era: Era): Record<string, ServerEntry> => ({
  any: serverOf(era, '--instructions', 'Call echo first.', '--title', 'The one'),
  raw: era === 'modern' ? modernHostile('raw-result') : hostile('raw-result'),
  odd: serverOf(era, '--tools-json', JSON.stringify(tools), '--page-size', 3),
});

/** The answers to all requests, as received. */
async function answersOf(era: Era, config: TestConfig): Promise<Buffer[]> {
  const client = connectBare(prepareLaunch({ config }));
  if (era === 'legacy') await client.initialize();
  const lines: Buffer[] = [];
  for (const params of requests) {
    const { line } = await client.request('tools/call', era === 'modern' ? modern(params) : params);
    lines.push(line);
  }
  return lines;
}

const ways: Readonly<Record<Era, readonly RemoteOptions[]>> = {
  legacy: [
    { sessions: true, answers: 'json' },
    { sessions: true, answers: 'sse' },
    { answers: 'json' },
    { answers: 'sse' },
    { transport: 'sse' },
    { sessions: true, answers: 'sse', style: 'crlf,comments,bom,bytes' },
    { sessions: true, answers: 'sse', style: 'cr,tight', resumable: true },
    { transport: 'sse', style: 'crlf,comments,bom,bytes' },
  ],
  modern: [
    { answers: 'json' },
    { answers: 'sse' },
    { answers: 'sse', style: 'crlf,comments,bom,bytes' },
    { answers: 'sse', style: 'cr,tight' },
  ],
};

const timeout = 180_000;

describe.each(['legacy', 'modern'] as const)('servers of the %s era', (era) => {
  test('are the same over HTTP as over stdio, byte for byte in every answer', { timeout }, async () => {
    const config = devToolbox(serversOf(era));
    const expected = (await answersOf(era, config)).map(digest);
    for (const options of ways[era]) {
      const received = await answersOf(era, await allOverHttp(config, options));
      expect(received.map(digest), JSON.stringify(options)).toEqual(expected);
    }
  });

  test('are the same in every value if a message comes in several lines of data', { timeout }, async () => {
    const config = devToolbox(serversOf(era));
    const remote = await allOverHttp(config, { sessions: true, answers: 'sse', style: 'multiline' });
    const values = (lines: readonly Buffer[]) =>
      // A line feed cannot be passed on, so such a message is written anew, and the size of a large one differs.
      lines.map((line) => JSON.parse(line.toString().replaceAll(/of 120\d+ bytes/g, 'of 12 MB')));
    expect(values(await answersOf(era, remote))).toEqual(values(await answersOf(era, config)));
  });
});
