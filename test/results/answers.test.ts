import { describe, expect, test } from 'vitest';
import { fixture } from '../support/servers.js';
import { type SessionSpec, type SharedAgent, startSharedEngine } from '../support/shared-engine.js';
import type { Message } from '../support/workbench.js';

interface Result {
  readonly content: { readonly type: string; readonly text: string; readonly [field: string]: unknown }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: object;
  readonly resultType?: string;
}

function resultOf({ result, error }: Message): Result {
  if (result === undefined) throw new Error(JSON.stringify(error));
  return result as unknown as Result;
}

const texts = ({ content }: Result) => content.filter(({ type }) => type === 'text').map(({ text }) => text);

/** An agent whose calls are numbered. `use`: a tool of the fixture, with the field `result`. */
async function agentFor(spec: Partial<SessionSpec> = {}, engine = startSharedEngine()) {
  const agent: SharedAgent = await engine.open({ servers: { any: fixture() }, ...spec });
  let id = 0;
  const use = async (name: string, args: object | undefined, result?: unknown) =>
    resultOf(await agent.call(++id, name, args, result === undefined ? {} : { result }));
  const calls = async () => {
    const { calls: made } = JSON.parse(texts(await use('stats', {}))[0] ?? '');
    return made;
  };
  return { agent, use, calls };
}

const tool = (name: string) => `{"tool":{"toolbox":"dev","server":"any","name":"${name}"}`;
const issues = { count: 212 };
const outline =
  '[212 × {number: number, title: string, state: "closed"|"open", labels: [1 × {name: "bug"|"timeout", color: "d73a4a"}], comments: number, body: string≤744, and 1 link: url}]';
const offered = (id: string) =>
  `Kept; the call is not made again. Select (JMESPath): use_tool ${tool('issues')},"result":{"of":"${id}","select":"…"}} Search: …"find":"…" Read: …"from":0`;
const block = (text: string) => ({ content: [{ type: 'text', text }] });

describe.each(['legacy', 'modern'] as const)('%s: what comes back', (era) => {
  const isModern = era === 'modern';

  test('without `result`, below the limit of the client or with an unknown one, the result as it is', async () => {
    const engine = startSharedEngine();
    const unknown = await agentFor({ isModern }, engine);
    const known = await agentFor({ isModern, client: 'opencode' }, engine);
    const whole = await unknown.use('issues', { count: 212, indent: 1 });
    expect(texts(whole)).toEqual([expect.stringMatching(/^\[\n {/)]);
    expect(whole.content[0]?.text.length).toBe(192_367);
    for (const empty of [undefined, null, {}])
      expect(texts(await known.use('issues', { count: 40, indent: 1 }, empty))).toEqual([
        expect.stringMatching(/^\[\n {/),
      ]);
  });

  test('over the limit, JSON is written compactly if that fits, else as an outline with the next calls', async () => {
    const { use } = await agentFor({ isModern, client: 'opencode' });
    const small = await use('issues', { count: 53, indent: 2 });
    expect(JSON.parse(texts(small)[0] ?? '')).toHaveLength(53);
    expect(small.content).toEqual([{ type: 'text', text: expect.stringMatching(/^\[{"number":1,/) }]);
    const large = await use('issues', { count: 212, indent: 1 });
    expect(texts(large)).toEqual([
      expect.stringContaining(`${outline}\nIts first item, shortened: {"number":1,"title":"Question about module 1"`),
      `\n192,367 characters, more than this client shows. ${offered('r1')}`,
    ]);
  });

  test('over the limit, a text is cut at a line end, with the call that reads on', async () => {
    const { use } = await agentFor({ isModern, client: 'opencode' });
    const [beginning = '', note] = texts(await use('lines', { count: 5_000 }));
    expect(beginning.length).toBeLessThanOrEqual(8_000);
    expect(beginning).toMatch(/^line 1 ✓ 😀 of a log\n[^]* of a log\n$/);
    expect(note).toBe(
      `\nThe first ${beginning.length.toLocaleString('en')} of 118,893 characters, more than this client shows. Kept; the call is not made again. Next: use_tool ${tool('lines')},"result":{"of":"r1","from":${beginning.length}}} Search: …"find":"…"`,
    );
  });

  test('`select` gives compact JSON, and of a long list as many items as fit, with the next call', async () => {
    const { use, calls } = await agentFor({ isModern });
    expect(texts(await use('issues', issues, { select: "[?labels[0].name=='timeout'].{n: number}" }))).toEqual([
      '[{"n":18}]',
    ]);
    const [first = '', note] = texts(await use('issues', issues, { select: '[].title', max: 100 }));
    expect(JSON.parse(first)).toHaveLength(3);
    const next = { of: 'r1', select: '[].title', from: 3, max: 100 };
    expect(note).toBe(`\nItems 0 to 2 of 212. Next: use_tool ${tool('issues')},"result":${JSON.stringify(next)}}`);
    expect(texts(await use('issues', undefined, next))[0]).toMatch(/^\["Question about module 4"/);
    expect(await calls()).toBe(3);
  });

  test('`select` that finds nothing, cannot be evaluated or is about text is no error, and helps to go on', async () => {
    const { use } = await agentFor({ isModern });
    const size = '180,706 characters.';
    expect(texts(await use('issues', issues, { select: '[].titel' }))).toEqual([
      '[]',
      `\nNothing is there. The result is: ${outline}\n${size} ${offered('r1')}`,
    ]);
    expect(texts(await use('issues', issues, { select: 'title' }))[0]).toBe('null');
    const failed = await use('issues', issues, { select: 'sum(@)' });
    expect(failed.isError).toBeUndefined();
    expect(texts(failed)).toEqual([
      expect.stringMatching(/^select was not applied: sum: .*\n\[212 × /),
      `\n${size} ${offered('r3')}`,
    ]);
    expect(texts(await use('lines', { count: 2 }, { select: 'a' }))).toEqual([
      'line 1 ✓ 😀 of a log\nline 2 ✓ 😀 of a log\n',
      '\nselect was not applied: the result is text, not JSON.',
    ]);
  });

  test('`find` gives places, as paths that `select` takes', async () => {
    const { use } = await agentFor({ isModern });
    expect(texts(await use('issues', issues, { find: 'TIMEOUT' }))).toEqual([
      '[17].labels[0].name: timeout',
      `\n180,706 characters. ${offered('r1')}`,
    ]);
    expect(texts(await use('issues', undefined, { of: 'r1', select: '[17].labels[0].name' }))).toEqual(['"timeout"']);
    const [places = '', note] = texts(await use('issues', undefined, { of: 'r1', find: 'question' }));
    expect(places.split('\n')).toHaveLength(20);
    expect(note).toMatch(/^\n212 places, 20 are shown\. /);
    expect(texts(await use('lines', { count: 99 }, { find: 'LINE 77 ' }))[0]).toMatch(/^line 77: line 77 ✓/);
    expect(texts(await use('issues', undefined, { of: 'r1', find: 'nowhere' }))[1]).toContain(outline);
  });

  test('an error of a tool is unchanged, and over the limit its beginning, still an error', async () => {
    const { use } = await agentFor({ isModern, client: 'opencode' });
    const sent = { ...block('[{"a":1}]'), isError: true, structuredContent: { errno: 2 } };
    expect(await use('result', sent, { select: '[0].a', max: 100 })).toMatchObject(sent);
    const long = await use('result', { ...block(`${'e'.repeat(99)}\n`.repeat(600)), isError: true });
    expect(long).toMatchObject({ isError: true, content: [{ text: `${'e'.repeat(99)}\n`.repeat(80) }, {}] });
    const rest = await use('result', undefined, { of: 'r1', from: 8_000 });
    expect(rest.isError).toBe(true);
    expect(rest.content[0]?.text.length).toBeGreaterThan(40_000);
  });

  test('blocks that are not text stay behind the text, `_meta` stays, and structured content goes', async () => {
    const { use } = await agentFor({ isModern, client: 'opencode' });
    const others = [
      { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
      { type: 'resource_link', uri: 'file:///a.txt', name: 'a', size: 12 },
    ];
    const _meta = { 'example.com/trace': { id: 7 } };
    const value = { list: Array.from({ length: 4_000 }, (_, number) => ({ number })) };
    const [image, link] = others;
    const sent = { content: [image, ...block(JSON.stringify(value)).content, link], structuredContent: value, _meta };
    for (const result of [undefined, { select: 'list[0]' }, { find: '3999' }]) {
      const got = await use('result', sent, result);
      expect(got).toMatchObject({ _meta });
      expect(got.content.slice(-2)).toEqual(others);
      expect(got.content[0]?.type).toBe('text');
      expect(got).not.toHaveProperty('structuredContent');
    }
    // The agent has them already.
    const page = await use('result', undefined, { of: 'r1', select: 'list[1]' });
    expect(page.content).toEqual([{ type: 'text', text: '{"number":1}' }]);
    expect(page._meta).toMatchObject(_meta);
  });

  test('structured content that repeats the text goes before the text is cut', async () => {
    const { use } = await agentFor({ isModern, client: 'qwen-cli-mcp-client-workbench' });
    const text = 'a line\n'.repeat(3_000);
    const got = await use('result', { ...block(text), structuredContent: { content: text } });
    expect(got.content).toEqual(block(text).content);
    expect(got).not.toHaveProperty('structuredContent');
  });
});

test('questions are unchanged, and `result` of the request with the answers counts', async () => {
  const { agent } = await agentFor({
    isModern: true,
    client: 'copilot-cli',
    servers: { any: fixture('--modern') },
    capabilities: { elicitation: {} },
  });
  const params = { message: 'Which?', requestedSchema: { type: 'object', properties: {} } };
  const args = { rounds: [{ q: { method: 'elicitation/create', params } }] };
  const asked = resultOf(await agent.call(1, 'ask_user', args, { result: { select: '[0].q.action' } }));
  expect(asked).toMatchObject({ resultType: 'input_required', inputRequests: { q: {} } });
  const { requestState } = asked as unknown as { requestState: string };
  const tried = { toolbox: 'dev', server: 'any', name: 'ask_user' };
  agent.send({
    id: 2,
    method: 'tools/call',
    params: {
      name: 'use_tool',
      arguments: { tool: tried, arguments: args, result: { select: '[0].q.content' } },
      requestState,
      inputResponses: { q: { action: 'accept', content: { which: 'both' } } },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'copilot-cli', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
      },
    },
  });
  const answered = await new Promise<Message>((resolve) => {
    agent.onmessage = (message) => message.id === 2 && resolve(message);
  });
  expect(texts(resultOf(answered))).toEqual(['{"which":"both"}']);
});

describe('input that is not what it should be', () => {
  test('an expression with a fault is refused before the tool is called', async () => {
    const { use, calls } = await agentFor();
    const refused = await use('issues', issues, { select: 'a[?' });
    expect(refused).toMatchObject({ isError: true, _meta: { 'mcp-workbench/code': 'INPUT_INVALID' } });
    expect(texts(refused)).toEqual(['Invalid parameters: result.select: the expression ends too early at character 4']);
    for (const result of [{ selct: 'a' }, { max: 1 }, { of: 'r1', cancel: true }, 'text'])
      expect((await use('issues', issues, result)).isError).toBe(true);
    expect(await calls()).toBe(1);
  });

  test('`max` is at most what the client shows', async () => {
    const { use } = await agentFor({ client: 'opencode' });
    const [page = ''] = texts(await use('issues', issues, { select: '@', max: 1e9 }));
    expect(page.length).toBeLessThanOrEqual(48_000);
    expect(page.length).toBeGreaterThan(46_000);
  });

  test('a place behind the end is answered with what there is', async () => {
    const { use } = await agentFor();
    expect(texts(await use('issues', issues, { from: 300 }))).toEqual(['[]', '\nItems 0 to 211 are there.']);
    expect(texts(await use('lines', { count: 2 }, { from: 300 }))).toEqual(['', '\nCharacters 0 to 41 are there.']);
  });

  test('ids that were never given, of another tool and of another session get the same answer', async () => {
    const engine = startSharedEngine();
    const [mine, other] = [await agentFor({}, engine), await agentFor({}, engine)];
    await mine.use('issues', issues, { find: 'timeout' });
    const gone = (id: string) => ({
      isError: true,
      content: block(`Result '${id}' is no longer kept. Call the tool again without "of".`).content,
      _meta: { 'mcp-workbench/code': 'RESULT_GONE' },
    });
    expect(await mine.use('issues', undefined, { of: 'r99' })).toEqual(gone('r99'));
    expect(await mine.use('lines', undefined, { of: 'r1' })).toEqual(gone('r1'));
    expect(await other.use('issues', undefined, { of: 'r1' })).toEqual(gone('r1'));
    expect((await mine.use('issues', undefined, { of: 'r1' })).isError).toBeUndefined();
  });
});

describe('a kept result is read under the rules of now', () => {
  test('a rule that denies its tool hides it', async () => {
    const { agent, use } = await agentFor();
    await use('issues', issues, { find: 'timeout' });
    expect((await use('issues', undefined, { of: 'r1', select: '[0].number' })).isError).toBeUndefined();
    await agent.apply((text) => JSON.stringify(JSON.parse(text)).replace(/"any":\{/, '"any":{"deny":["iss*"],'));
    const hidden = await use('issues', undefined, { of: 'r1', select: '[0].number' });
    expect(hidden).toMatchObject({ isError: true, _meta: { 'mcp-workbench/code': 'TOOL_NOT_FOUND' } });
    expect(texts(hidden)[0]).toMatch(/^Tool 'issues' not found in server 'any' \(toolbox 'dev'\)/);
  });

  test('so does a filter', async () => {
    const { agent, use } = await agentFor();
    await use('issues', issues, { find: 'timeout' });
    await agent.apply((text) => JSON.stringify(JSON.parse(text)).replace(/"any":\{/, '"any":{"toolFilters":["echo"],'));
    expect(await use('issues', undefined, { of: 'r1' })).toMatchObject({
      _meta: { 'mcp-workbench/code': 'TOOL_NOT_FOUND' },
    });
  });
});
