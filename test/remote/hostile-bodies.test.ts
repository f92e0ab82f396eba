// @module-tag hostile
// @module-tag slow
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { text } from '../support/agents.js';
import { connectAttacked } from '../support/attacked-by-remote.js';
import { type Era, serverOf } from '../support/forwarding.js';
import { linuxOnly } from '../support/platform.js';
import { until } from '../support/until.js';

linuxOnly('memory in /proc');

const timeout = 120_000;
const eras = ['legacy', 'modern'] as const;
/** They take turns: a body is read in the same way in both. */
const eraAt = (index: number): Era => eras[index % 2] ?? 'legacy';

const head = (...lines: string[]) => `HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\n\r\n`;
const jsonHead = head('content-type: application/json', 'connection: close');
const eventHead = head('content-type: text/event-stream', 'connection: close');
const megabyte = 'x'.repeat(1_000_000);
const resultHead = '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"';
const resultTail = '"}]}}';

const failing: [string, object, RegExp][] = [
  ['headers without end', { head: 'HTTP/1.1 200 OK\r\n', chunk: `x-a: ${'a'.repeat(1_000)}\r\n`, times: 0 }, /header/i],
  ['one header without end', { head: 'HTTP/1.1 200 OK\r\nx-a: ', chunk: 'a'.repeat(10_000), times: 0 }, /header/i],
  [
    'a result of 300 MB',
    { head: jsonHead + resultHead, chunk: megabyte, times: 300, tail: resultTail },
    /its message of 300\d{6} bytes is over the limit maxMessageBytes \(67108864\)/,
  ],
  [
    'a result of 300 MB in an event',
    { head: `${eventHead}data: ${resultHead}`, chunk: megabyte, times: 300, tail: `${resultTail}\n\n` },
    /its message of 300\d{6} bytes is over the limit maxMessageBytes \(67108864\)/,
  ],
  [
    'a result of 64 MB',
    { head: jsonHead + resultHead, chunk: megabyte, times: 64, tail: resultTail },
    /its result of 640\d{5} bytes is over the limit maxResultBytes \(9437184\)/,
  ],
  ['no HTTP', { head: 'SSH-2.0-OpenSSH_9.6\r\n' }, /does not speak HTTP/],
  ['an empty response', { head: '' }, /closed or reset/],
  ['no JSON', { head: `${jsonHead}{"jsonrpc":"2.0",` }, /without a response/],
  [
    'a list without end',
    { head: `${jsonHead}[`, chunk: '[],'.repeat(300_000), times: 40, tail: '0]' },
    /without a response/,
  ],
];

test.each(failing.map(([what, raw, expected], index) => [eraAt(index), what, raw, expected] as const))(
  'a remote %s server that answers a call with %s fails that call alone',
  { timeout },
  async (era, _, raw, expected) => {
    const { agent, remote, use, grownMb } = await connectAttacked(serverOf(era), { callTimeoutMs: 30_000 });
    await remote.rules({ tool: 'stats', do: { raw } });
    const said = await use('stats');
    expect(said).toContain("Tool 'stats' of server 'any' (toolbox 'dev') failed: ");
    expect(said).toMatch(expected);
    expect(said.length).toBeLessThan(1_000);
    expect(grownMb()).toBeLessThan(120);
    expect(text(await agent.use('dev', 'any', 'echo', { still: 'here' }))).toBe('{"still":"here"}');
    expect(remote.log().filter(({ tool }) => tool === 'stats')).toHaveLength(1);
  },
);

test.each([
  ['legacy', 'a body', jsonHead],
  ['modern', 'an event', `${eventHead}data: `],
  ['legacy', 'the name of a field', eventHead],
  ['modern', 'comments', `${eventHead}: `],
] as const)(
  'a remote %s server that answers a call with %s without end is given up after the timeout of the call',
  { timeout },
  async (era, _, beginning) => {
    const { agent, remote, use, grownMb } = await connectAttacked(serverOf(era), { callTimeoutMs: 3_000 });
    await remote.rules({ tool: 'stats', do: { raw: { head: beginning, chunk: megabyte, times: 0 } } });
    expect(await use('stats')).toContain('no answer within 3000 ms');
    expect(grownMb()).toBeLessThan(120);
    await until(() => remote.log().find(({ tool }) => tool === 'stats')?.end === 'closed by the client');
    expect(text(await agent.use('dev', 'any', 'echo', { still: 'here' }))).toBe('{"still":"here"}');
  },
);

test.each(eras)(
  'a remote %s server that answers a call with a bomb of gzip fails that call alone',
  { timeout },
  async (era) => {
    const bomb = gzipSync(Buffer.alloc(200_000_000, 'x')).toString('base64');
    const { agent, remote, use, grownMb } = await connectAttacked(serverOf(era));
    const headers = head('content-type: application/json', 'content-encoding: gzip', 'connection: close');
    const bytes = Buffer.concat([Buffer.from(headers), Buffer.from(bomb, 'base64')]).toString('base64');
    await remote.rules({ tool: 'stats', do: { raw: { head: `base64:${bytes}` } } });
    expect(await use('stats')).toContain("Tool 'stats' of server 'any' (toolbox 'dev') failed: ");
    expect(grownMb()).toBeLessThan(120);
    expect(text(await agent.use('dev', 'any', 'echo', { still: 'here' }))).toBe('{"still":"here"}');
  },
);

test.each(eras)(
  'a remote %s server that answers a byte at a time is given up after the timeout of the call',
  async (era) => {
    const { agent, remote, use } = await connectAttacked(serverOf(era), { callTimeoutMs: 3_000 });
    await remote.rules({ tool: 'stats', do: { drip: 200 } });
    expect(await use('stats')).toContain('no answer within 3000 ms');
    expect(text(await agent.use('dev', 'any', 'echo', { still: 'here' }))).toBe('{"still":"here"}');
  },
);

test.each([
  ['text/plain', 'text/plain'],
  ['image/png', 'image/png'],
  ['no content type', 'without a content type'],
])('a remote server that answers a call with %s says so', async (type, expected) => {
  const { remote, use } = await connectAttacked(serverOf('legacy'));
  const headers = type.includes('/') ? { 'content-type': type } : {};
  await remote.rules({ tool: 'stats', do: { status: 200, headers, body: 'hello' } });
  expect(await use('stats')).toContain(expected);
});
