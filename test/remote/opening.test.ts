import { describe, expect, test } from 'vitest';
import { opened, text } from '../support/agents.js';
import { devToolbox, type ServerEntry } from '../support/configs.js';
import { connectAgent } from '../support/in-process.js';
import { overHttp, type Remote } from '../support/remote.js';
import { connectRemote } from '../support/remote-subject.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';

describe('opening a remote server', () => {
  /** The reason for which it is unavailable, beside one that works. */
  async function reasonFor(entry: ServerEntry): Promise<string> {
    const config = devToolbox({ good: fixture('--tools', 'echo'), bad: entry });
    const agent = await connectAgent('v2 modern', { config });
    const { servers_connected: connected, unavailable } = opened(await agent.open('dev'));
    expect(connected).toBe(1);
    expect(unavailable).toHaveLength(1);
    const reason = unavailable?.[0]?.reason ?? '';
    expect(reason.length).toBeLessThanOrEqual(500);
    for (const unwanted of ['\n', '\u001B', '<', 'fetch failed']) expect(reason).not.toContain(unwanted);
    expect(text(await agent.use('dev', 'bad', 'echo'))).toContain(
      "Failed to connect to server 'bad' in toolbox 'dev': ",
    );
    return reason;
  }

  /** A server that answers every request so. */
  async function answering(action: Readonly<Record<string, unknown>>): Promise<Remote> {
    return overHttp(fixture(), { rules: [{ times: 0, do: action }] });
  }

  const html = { headers: { 'content-type': 'text/html' }, body: '<html><h1>Welcome</h1></html>' };

  test.each([
    [500, /\b500\b/],
    [404, /\b404\b/],
    [502, /\b502\b/],
  ])('that answers %i names the URL and the status', async (status, expected) => {
    const { url, entry } = await answering({ ...html, status });
    const reason = await reasonFor(entry);
    expect(reason).toContain(url);
    expect(reason).toMatch(expected);
  });

  test('that answers with a web page says what came', async () => {
    const { url, entry } = await answering({ ...html, status: 200 });
    const reason = await reasonFor(entry);
    expect(reason).toContain(url);
    expect(reason).toContain('text/html');
  });

  test.each([401, 403])('that answers %i needs a login', async (status) => {
    const { entry } = await answering({ status, body: 'no' });
    expect(await reasonFor(entry)).toContain(`needs a login (${status})`);
  });

  test.each([401, 403])('that answers %i to a configured header rejected it', async (status) => {
    const { entry, log } = await answering({ status, body: 'no' });
    const reason = await reasonFor({ ...entry, headers: { Authorization: 'Bearer hunter2-hunter2' } });
    expect(reason).toContain(`rejected the configured Authorization header (${status})`);
    expect(reason).not.toContain('hunter2');
    expect(log()[0]?.headers['authorization']).toBe('Bearer hunter2-hunter2');
  });

  test('has no secret of its URL in a reason', async () => {
    const { entry, url } = await answering({ ...html, status: 500 });
    const secret = url.replace('http://', 'http://user:pa55word-long@').concat('?key=s3cret-s3cret');
    const reason = await reasonFor({ ...entry, url: secret });
    expect(reason).toContain('500');
    for (const part of ['pa55word', 's3cret']) expect(reason).not.toContain(part);
  });

  test('that asks to wait says how long, and is not tried before', async () => {
    const rules = [{ do: { status: 503, headers: { 'retry-after': '3' } } }];
    const remote = await overHttp(fixture(), { sessions: true, rules });
    const agent = await connectAgent('v2 modern', { config: devToolbox({ any: remote.entry, good: fixture() }) });
    expect(opened(await agent.open('dev')).unavailable?.[0]?.reason).toMatch(/asks to wait 3 s/);
    const before = remote.log().length;
    await until(async () => opened(await agent.open('dev')).servers_connected === 2);
    const [first, ...later] = remote.log();
    expect(before).toBe(1);
    expect((later[0]?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(2_900);
  });

  test('that asks to wait for 12 s says so', async () => {
    const { entry } = await answering({ status: 429, headers: { 'retry-after': '12' } });
    expect(await reasonFor(entry)).toContain('asks to wait 12 s');
  });

  test.each(['soon', '-5', '1e9', '99999999999', ''])('is tried again although it asks to wait %j', async (wait) => {
    const rules = [{ do: { status: 503, headers: { 'retry-after': wait } } }];
    const remote = await overHttp(fixture(), { sessions: true, rules });
    const agent = await connectAgent('v2 modern', { config: devToolbox({ any: remote.entry, good: fixture() }) });
    const reason = opened(await agent.open('dev')).unavailable?.[0]?.reason ?? '';
    expect(reason).toContain('503');
    expect(reason).not.toMatch(/NaN|Infinity|-\d+ s/);
  });

  test('that refuses connections says so, and is refused after some attempts', async () => {
    const remote = await overHttp(fixture());
    await remote.kill();
    const agent = await connectAgent('v2 modern', { config: devToolbox({ any: remote.entry, good: fixture() }) });
    const reasons: string[] = [];
    for (let attempt = 1; attempt <= 7; attempt++) {
      reasons.push(opened(await agent.open('dev')).unavailable?.[0]?.reason ?? '');
    }
    expect(reasons[0]).toContain(remote.url);
    expect(reasons[0]).toContain('ECONNREFUSED');
    expect(reasons.at(-1)).toMatch(/next try in \d+ s/);
    await remote.restart();
    await until(async () => opened(await agent.open('dev')).servers_connected === 2);
  });

  test('that never answers is unavailable after its own limit', async () => {
    const { entry } = await answering({ hang: true });
    expect(await reasonFor({ ...entry, startTimeoutMs: 1_500 })).toContain('not ready within 1500 ms');
  });

  test('beside two others leaves them usable if it is broken', async () => {
    const one = await overHttp(fixture('--tools', 'echo'), { sessions: true });
    const two = await overHttp(fixture('--modern', '--tools', 'echo'));
    const { entry: broken } = await answering({ status: 500 });
    const agent = await connectAgent('v2 legacy', { config: devToolbox({ one: one.entry, broken, two: two.entry }) });
    const answer = opened(await agent.open('dev'));
    expect(answer).toMatchObject({ servers_connected: 2, unavailable: [{ server: 'broken' }] });
    expect(answer.tools.map(({ server }) => server)).toEqual(['one', 'two']);
    for (const server of ['one', 'two']) expect(text(await agent.use('dev', server, 'echo', { a: 1 }))).toBe('{"a":1}');
  });

  test('sends the configured headers with every request, and the revision once it is agreed on', async () => {
    for (const [era, revision] of [
      ['legacy', '2025-11-25'],
      ['modern', '2026-07-28'],
    ] as const) {
      const { agent, remote, use } = await connectRemote(era, {
        headers: { 'X-Team': 'tools', Authorization: 'Bearer abc' },
      });
      await agent.open('dev');
      await use('echo', {});
      await agent.close();
      const requests = remote.log();
      expect(requests.length).toBeGreaterThan(2);
      for (const { headers } of requests)
        expect(headers).toMatchObject({ 'x-team': 'tools', authorization: 'Bearer abc' });
      const [call] = remote.sent('tools/call');
      expect(call?.headers['mcp-protocol-version']).toBe(revision);
      expect(call?.headers['mcp-name']).toBe(era === 'modern' ? 'echo' : undefined);
    }
  });
});
