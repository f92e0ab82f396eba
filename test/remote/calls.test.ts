// @module-tag slow
import { describe, expect, test } from 'vitest';
import { connectRemote, unknownOutcome } from '../support/remote-subject.js';
import { until } from '../support/until.js';

const failedBecause = (tool: string) => `Tool '${tool}' of server 'any' (toolbox 'dev') failed: `;

describe.each(['legacy', 'modern'] as const)('a call to a remote %s server', (era) => {
  test('fails when the server is killed, was sent once, and the next call works once the server is back', async () => {
    const { use, remote, sentFor } = await connectRemote(era);
    await use('echo', {});
    const hanging = use('hang');
    await until(() => sentFor('hang').length === 1);
    await remote.kill();
    const failure = await hanging;
    expect(failure).toContain(failedBecause('hang'));
    expect(failure).toContain(unknownOutcome);
    await remote.restart();
    expect(await use('echo', { back: 'again' })).toBe('{"back":"again"}');
    expect(sentFor('hang')).toHaveLength(1);
  });

  test('fails when the server is killed while it reports progress', async () => {
    const { agent, remote, sentFor } = await connectRemote(era);
    const seen: object[] = [];
    const tool = { toolbox: 'dev', server: 'any', name: 'progress' };
    const params = { name: 'use_tool', arguments: { tool, arguments: { steps: 10_000, everyMs: 20 } } };
    const call = agent.request('tools/call', params, { onprogress: (step) => void seen.push(step) });
    await until(() => seen.length > 3);
    await remote.kill();
    expect(JSON.stringify(await call)).toContain(unknownOutcome);
    expect(sentFor('progress')).toHaveLength(1);
  });

  test.each([
    ['before the response', { drop: 'before' }],
    ['before the response, and the server has the request', { drop: 'before', pass: true }],
    ['after the headers', { drop: 'headers' }],
    ['in the middle of an event', { drop: 'event' }],
  ])('fails when the connection is lost %s, and is not sent again', async (_, action) => {
    const { use, remote, calls, sentFor } = await connectRemote(era);
    await use('echo', {});
    await remote.rules({ rpc: 'tools/call', tool: 'stats', do: action });
    const failure = await use('stats');
    expect(failure).toContain(failedBecause('stats'));
    expect(failure).toContain(unknownOutcome);
    expect(await use('echo', { still: 'here' })).toBe('{"still":"here"}');
    expect(sentFor('stats')).toHaveLength(1);
    expect(calls.methods('tools/call').filter(({ name }) => name === 'stats').length).toBeLessThan(2);
  });

  test('works when the server was killed and started again between calls', async () => {
    const { use, remote } = await connectRemote(era);
    expect(await use('echo', { n: 1 })).toBe('{"n":1}');
    await remote.kill();
    await remote.restart();
    expect(await use('echo', { n: 2 })).toBe('{"n":2}');
  });

  test('that the agent cancels is cancelled at the server', async () => {
    const { agent, remote, calls, sentFor } = await connectRemote(era);
    await agent.open('dev');
    const over = new AbortController();
    const params = { name: 'use_tool', arguments: { tool: { toolbox: 'dev', server: 'any', name: 'hang' } } };
    const hanging = agent.request('tools/call', params, { signal: over.signal });
    hanging.catch(() => {});
    await until(() => calls.methods('tools/call').length === 1);
    over.abort();
    await until(() => calls.methods('notifications/cancelled').length === 1);
    const [sent] = sentFor('hang');
    await until(() => sentFor('hang')[0]?.end === 'closed by the client');
    const notified = remote.sent('notifications/cancelled').map(({ requestId }) => requestId);
    expect(notified).toEqual(era === 'modern' ? [] : [sent?.id]);
  });

  test('that takes too long is cancelled at the server', async () => {
    const { use, calls } = await connectRemote(era, { callTimeoutMs: 2_500 });
    expect(await use('hang')).toContain('no answer within 2500 ms');
    await until(() => calls.methods('notifications/cancelled').length === 1);
    expect(await use('echo', { a: 1 })).toBe('{"a":1}');
  });
});

// An answer to a request is read in the same way in both eras.
describe('a call to a remote server', () => {
  test('says that nothing listens while the server is gone, and works when it is back', async () => {
    const { use, remote } = await connectRemote('modern');
    expect(await use('echo', { n: 1 })).toBe('{"n":1}');
    await remote.kill();
    const refused = await until(async () => {
      const said = await use('echo');
      return said.includes('ECONNREFUSED') && said;
    });
    expect(refused).toContain(remote.url);
    await remote.restart();
    await until(async () => (await use('echo', { n: 2 })) === '{"n":2}');
  });

  test('is refused with the status and what to check for a 500, and the next one works', async () => {
    const { use, remote, sentFor } = await connectRemote('legacy');
    await use('echo', {});
    const body = '<html><body>Something is broken</body></html>';
    await remote.rules({ tool: 'stats', do: { status: 500, headers: { 'content-type': 'text/html' }, body } });
    const failure = await use('stats');
    expect(failure).toContain(failedBecause('stats'));
    expect(failure).toContain('500');
    expect(failure).not.toContain('<');
    expect(await use('echo', { a: 1 })).toBe('{"a":1}');
    expect(sentFor('stats')).toHaveLength(1);
  });

  test('gets the error of the server also if that has a status of its own', async () => {
    const { use, remote } = await connectRemote('modern');
    await use('echo', {});
    const body = '{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"no such thing"}}';
    await remote.rules({ tool: 'stats', do: { status: 400, headers: { 'content-type': 'application/json' }, body } });
    expect(await use('stats')).toContain('error -32602: no such thing');
  });

  test.each([
    ['seconds', () => '2'],
    ['a date', () => new Date(Date.now() + 4_900).toUTCString()],
  ])('that is to be made later (%s) says so, and nothing is sent before', async (_, retryAfter) => {
    const { use, remote, sentFor } = await connectRemote('legacy');
    await use('echo', {});
    const header = retryAfter();
    await remote.rules({ tool: 'stats', do: { status: 429, headers: { 'retry-after': header } } });
    expect(await use('stats')).toMatch(/asks to wait [1-5] s/);
    await until(async () => (await use('stats')).startsWith('{'));
    const [first, second] = sentFor('stats');
    // A date is the same however long the request took.
    const earliest = Number.isNaN(Number(header)) ? Date.parse(header) : (first?.at ?? 0) + 1_000 * Number(header);
    expect(second?.at).toBeGreaterThanOrEqual(earliest - 100);
    expect(
      remote.log().filter(({ at, http }) => http === 'POST' && at > (first?.at ?? 0) && at < (second?.at ?? 0)),
    ).toEqual([]);
  });
});
