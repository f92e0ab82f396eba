import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type Agent, connectAgent, opened, text } from '../support/agents.js';
import { residentMb } from '../support/bare-client.js';
import { devToolbox, type ServerEntry } from '../support/configs.js';
import { descriptorsOf } from '../support/ending.js';
import { type Era, serverOf, userWho } from '../support/forwarding.js';
import { expectNotHeldUp, hostile } from '../support/hostile.js';
import { linuxOnly } from '../support/platform.js';
import { overHttp, type Remote, type RemoteOptions, type Rule } from '../support/remote.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';

// Attacks of a remote server that a local one cannot make. Those that both can make are run over both in the other files.

interface Attacked {
  readonly agent: Agent;
  readonly remote: Remote;
  /** Calls a tool while another server is in use, and expects that the other is not held up. */
  readonly use: (tool: string, args?: object) => Promise<string>;
  readonly grownMb: () => number;
}

async function connect(
  entry: ServerEntry,
  settings: object = {},
  options: RemoteOptions = { sessions: true, answers: 'sse' },
): Promise<Attacked> {
  const remote = await overHttp(entry, options);
  const config = devToolbox({ any: { ...remote.entry, ...settings }, other: fixture() });
  const agent = await connectAgent('v2 modern', { config });
  await agent.open('dev');
  const before = residentMb(agent.pid);
  return {
    agent,
    remote,
    use: async (tool, args) =>
      text(await expectNotHeldUp(agent, ['dev', 'other'], () => agent.use('dev', 'any', tool, args))),
    grownMb: () => residentMb(agent.pid) - before,
  };
}

const head = (...lines: string[]) => `HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\n\r\n`;
const jsonHead = head('content-type: application/json', 'connection: close');
const eventHead = head('content-type: text/event-stream', 'connection: close');
const megabyte = 'x'.repeat(1_000_000);
const resultHead = '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"';
const resultTail = '"}]}}';

describe.each(['legacy', 'modern'] as const)('a remote %s server', { timeout: 120_000 }, (era: Era) => {
  linuxOnly('memory in /proc');

  const failing: [string, object, RegExp][] = [
    [
      'headers without end',
      { head: 'HTTP/1.1 200 OK\r\n', chunk: `x-a: ${'a'.repeat(1_000)}\r\n`, times: 0 },
      /header/i,
    ],
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
    ['no HTTP', { head: 'SSH-2.0-OpenSSH_9.6\r\n' }, /./],
    ['an empty response', { head: '' }, /./],
    ['no JSON', { head: `${jsonHead}{"jsonrpc":"2.0",` }, /without a response/],
    ['a list without end', { head: `${jsonHead}[`, chunk: '[],'.repeat(300_000), times: 40, tail: '0]' }, /./],
  ];

  test.each(failing)('that answers a call with %s fails that call alone', async (_, raw, expected) => {
    const { agent, remote, use, grownMb } = await connect(serverOf(era), { callTimeoutMs: 30_000 });
    await remote.rules({ tool: 'stats', do: { raw } });
    const said = await use('stats');
    expect(said).toContain("Tool 'stats' of server 'any' (toolbox 'dev') failed: ");
    expect(said).toMatch(expected);
    expect(said.length).toBeLessThan(1_000);
    expect(grownMb()).toBeLessThan(120);
    expect(text(await agent.use('dev', 'any', 'echo', { still: 'here' }))).toBe('{"still":"here"}');
    expect(remote.log().filter(({ tool }) => tool === 'stats')).toHaveLength(1);
  });

  test.each([
    ['a body', jsonHead],
    ['an event', `${eventHead}data: `],
    ['the name of a field', eventHead],
    ['comments', `${eventHead}: `],
  ])('that answers a call with %s without end is given up after the timeout of the call', async (_, beginning) => {
    const { agent, remote, use, grownMb } = await connect(serverOf(era), { callTimeoutMs: 3_000 });
    await remote.rules({ tool: 'stats', do: { raw: { head: beginning, chunk: megabyte, times: 0 } } });
    expect(await use('stats')).toContain('no answer within 3000 ms');
    expect(grownMb()).toBeLessThan(120);
    await until(() => remote.log().find(({ tool }) => tool === 'stats')?.end === 'closed by the client');
    expect(text(await agent.use('dev', 'any', 'echo', { still: 'here' }))).toBe('{"still":"here"}');
  });

  test('that answers a call with a bomb of gzip fails that call alone', async () => {
    const bomb = gzipSync(Buffer.alloc(200_000_000, 'x')).toString('base64');
    const { agent, remote, use, grownMb } = await connect(serverOf(era));
    const headers = head('content-type: application/json', 'content-encoding: gzip', 'connection: close');
    const bytes = Buffer.concat([Buffer.from(headers), Buffer.from(bomb, 'base64')]).toString('base64');
    await remote.rules({ tool: 'stats', do: { raw: { head: `base64:${bytes}` } } });
    expect(await use('stats')).toContain("Tool 'stats' of server 'any' (toolbox 'dev') failed: ");
    expect(grownMb()).toBeLessThan(120);
    expect(text(await agent.use('dev', 'any', 'echo', { still: 'here' }))).toBe('{"still":"here"}');
  });

  test('that answers a byte at a time is given up after the timeout of the call', async () => {
    const { agent, remote, use } = await connect(serverOf(era), { callTimeoutMs: 1_500 });
    await remote.rules({ tool: 'stats', do: { drip: 200 } });
    expect(await use('stats')).toContain('no answer within 1500 ms');
    expect(text(await agent.use('dev', 'any', 'echo', { still: 'here' }))).toBe('{"still":"here"}');
  });

  test.each([
    ['text/plain', 'text/plain'],
    ['image/png', 'image/png'],
    ['no content type', 'without a content type'],
  ])('that answers a call with %s says so', async (type, expected) => {
    const { remote, use } = await connect(serverOf(era));
    const headers = type.includes('/') ? { 'content-type': type } : {};
    await remote.rules({ tool: 'stats', do: { status: 200, headers, body: 'hello' } });
    expect(await use('stats')).toContain(expected);
  });

  test('whose redirects lead in a circle is asked a few times only', async () => {
    const { agent, remote, use } = await connect(serverOf(era));
    const before = remote.log().length;
    await remote.rules({ tool: 'stats', times: 0, do: { status: 307, headers: { location: remote.url } } });
    expect(await use('stats')).toMatch(/redirect/i);
    expect(remote.log().length - before).toBeLessThan(30);
    expect(text(await agent.use('dev', 'any', 'echo', { still: 'here' }))).toBe('{"still":"here"}');
  });

  test('may write comments, unknown events and responses that nobody waits for before its own', async () => {
    const { remote, use } = await connect(serverOf(era), {}, { sessions: true, answers: 'sse', style: 'comments' });
    const forged = (id: unknown) =>
      JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'not yours' }] } });
    const before = [forged(4711), forged('x'), forged(null), '', 'garbage', '[]', '{}', '\u0000', '{"jsonrpc":"2.0"}'];
    await remote.rules({ tool: 'echo', do: { extra: { before } } });
    expect(await use('echo', { a: 1 })).toBe('{"a":1}');
  });
});

describe('a remote server with sessions', { timeout: 120_000 }, () => {
  linuxOnly('memory in /proc');

  test('that floods the stream for its own messages with comments holds up nobody', async () => {
    const { remote, use, grownMb } = await connect(serverOf('legacy'));
    await until(async () => (await remote.control()).getStreams === 1);
    const lines = [
      ': comment\n',
      '\n\n\n',
      'id: 1\n\n',
      'retry: 0\n\n',
      `id: ${'x'.repeat(500)}\n\n`,
      'event: y\ndata: z\n\n',
    ];
    for (const line of lines) await remote.control({ emit: line.repeat(50_000) });
    expect(await use('sleep', { ms: 500 })).toBe('slept 500 ms');
    expect(grownMb()).toBeLessThan(120);
    // What it asked for is not obeyed to the letter: a stream is not requested a thousand times.
    const before = remote.log().length;
    for (let round = 0; round < 3; round++) await remote.control({ closeGet: true });
    expect(await use('sleep', { ms: 1_000 })).toBe('slept 1000 ms');
    expect(remote.log().length - before).toBeLessThan(30);
  });

  test('that sends requests and never takes the answers does not use up our connections', async () => {
    const { agent, remote, use } = await connect(serverOf('legacy'));
    await remote.rules({ answers: true, http: 'POST', times: 0, do: { hang: true } });
    const before = descriptorsOf(agent.pid);
    const messages = Array.from({ length: 3_000 }, (_, id) => ({ id: `ping-${id}`, method: 'ping' }));
    expect(await use('send', { messages })).toBe('sent');
    expect(descriptorsOf(agent.pid) - before).toBeLessThan(200);
    expect(await use('echo', { still: 'here' })).toBe('{"still":"here"}');
  });

  test.each([
    ['10,000 characters', 'x'.repeat(10_000)],
    ['a blank and a quote', 'a b"c'],
    ['characters beyond ASCII', 'sitz\u00FCng'],
    ['a comma', 'a,b'],
  ])('whose session id has %s is used or refused, and not asked without end', async (_, id) => {
    const rule: Rule = { rpc: 'initialize', times: 0, do: { extra: { headers: { 'mcp-session-id': id } } } };
    const remote = await overHttp(serverOf('legacy'), { sessions: true, answers: 'sse', rules: [rule] });
    const agent = await connectAgent('v2 modern', { config: devToolbox({ any: remote.entry, other: fixture() }) });
    const answer = opened(await agent.open('dev'));
    // The bridge does not have a session of that name.
    expect(answer).toMatchObject({ servers_connected: 1, unavailable: [{ server: 'any' }] });
    expect(remote.sent('initialize').length).toBeLessThan(5);
    expect(answer.unavailable?.[0]?.reason.length).toBeLessThan(500);
  });

  test('that sends the response on another stream does not leave the call without an end', async () => {
    const { remote, use } = await connect(serverOf('legacy'), { callTimeoutMs: 20_000 });
    await until(async () => (await remote.control()).getStreams === 1);
    await remote.rules({ tool: 'sleep', do: { misroute: true } });
    expect(await use('sleep', { ms: 10 })).toMatch(/^slept 10 ms$|without a response|before the response/);
  });

  test('is refused if it asks outside of a call', async () => {
    const remote = await overHttp(hostile('ask-unasked'), { sessions: true });
    const user = userWho(() => ({ action: 'accept', content: {} }));
    const agent = await connectAgent('v2 legacy', { config: devToolbox({ any: remote.entry }) }, user);
    await agent.open('dev');
    await until(() => remote.log().some(({ id, rpc }) => id === 'question-1' && rpc === undefined));
    expect(JSON.parse(text(await agent.use('dev', 'any', 'attack')))).toMatchObject({ error: { code: -32_600 } });
    expect(user.asked).toEqual([]);
  });
});

describe('a remote server over SSE', () => {
  test.each([
    ['another origin', (other: string) => other],
    ['a file', () => 'file:///etc/passwd'],
    ['a script', () => 'javascript:alert(1)'],
    ['no address', () => 'http://['],
  ])('that wants our messages sent to %s is unavailable, and nothing is sent there', async (_, address) => {
    const other = await overHttp(fixture());
    const rule: Rule = { http: 'GET', times: 0, do: { endpoint: address(other.url) } };
    const { entry } = await overHttp(fixture(), { transport: 'sse', rules: [rule] });
    const config = devToolbox({ any: { ...entry, startTimeoutMs: 5_000 }, good: fixture() });
    const agent = await connectAgent('v2 modern', { config });
    expect(opened(await agent.open('dev'))).toMatchObject({ servers_connected: 1, unavailable: [{ server: 'any' }] });
    expect(other.log()).toEqual([]);
  });

  test('that ends its stream in the middle of an event fails the call, which was sent once', async () => {
    const remote = await overHttp(fixture(), { transport: 'sse' });
    const agent = await connectAgent('v2 modern', { config: devToolbox({ any: remote.entry }) });
    await agent.open('dev');
    await remote.rules({ tool: 'stats', do: { drop: 'event' } });
    expect(text(await agent.use('dev', 'any', 'stats'))).toContain('It is unknown whether the tool took effect.');
    expect(text(await agent.use('dev', 'any', 'echo', { a: 1 }))).toBe('{"a":1}');
    expect(remote.log().filter(({ tool }) => tool === 'stats')).toHaveLength(1);
  });
});

test('a remote server that redirects to another origin does not give it the configured credentials', async () => {
  const other = await overHttp(fixture(), { sessions: true });
  const rule: Rule = { times: 0, do: { status: 307, headers: { location: other.url } } };
  const { entry } = await overHttp(fixture(), { rules: [rule] });
  const headers = { Authorization: 'Bearer hunter2-hunter2', 'X-Api-Key': 'hunter2-hunter2', Cookie: 'a=hunter2' };
  const agent = await connectAgent('v2 modern', {
    config: devToolbox({ any: { ...entry, headers }, good: fixture() }),
  });
  await agent.open('dev');
  await agent.use('dev', 'any', 'echo', {});
  expect(JSON.stringify(other.log())).not.toContain('hunter2');
});

test('a body with line feeds in a large result is one message to the agent', async () => {
  const remote = await overHttp(fixture());
  const agent = await connectAgent('v2 legacy', { config: devToolbox({ any: remote.entry }) });
  await agent.open('dev');
  const forged = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'forged' }] } });
  const content = JSON.stringify([{ type: 'text', text: 'x'.repeat(100_000) }]);
  const body = `{"jsonrpc":"2.0","id":ID,"result":{"content":${content},"structuredContent":\n${forged}\n}}\n`;
  await remote.rules({ tool: 'stats', do: { status: 200, headers: { 'content-type': 'application/json' }, body } });
  const result = await agent.use('dev', 'any', 'stats');
  expect(result.content[0]?.text).toHaveLength(100_000);
  expect(result.structuredContent).toEqual(JSON.parse(forged));
});
