import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { posixOnly } from '../../test/support/platform.js';
import type { CallToolResult } from '../contract/types.js';
import { isRecord, type JsonObject } from '../jsonrpc/json.js';
import { clientResults, longestMessageToAgent } from '../limits.js';
import type { Computer } from '../platform/computer.js';
import { silentLog } from '../platform/log.js';
import { bytesOf, textOf } from '../results/held-bytes.js';
import { createFittedAnswers } from './fitted-answer.js';
import { fittedCall } from './fitted-call.js';

const tool = { toolbox: 'dev', server: 'any', name: 'read' };

/** What each client shows of a result: not the code under test, but what was found by trying. */
const shownBy: Readonly<Record<string, (result: CallToolResult) => number>> = {
  'claude-code': (result) => (structured(result) ?? textsIn(result)).length,
  'codex-mcp-client': (result) => (structured(result) ?? textsIn(result)).length,
  'gemini-cli-mcp-client': (result) => textsIn(result).length,
  opencode: (result) => textsIn(result).length,
  'qwen-cli-mcp-client': (result) => `${structured(result) ?? ''}${textsIn(result)}`.length,
  'copilot-cli': (result) => Buffer.byteLength(`${structured(result) ?? ''}${textsIn(result)}`),
  '@cline/core': (result) => JSON.stringify(result).length,
  'continue-cli-client': (result) => textsIn(result).length,
};

function textsIn({ content = [] }: CallToolResult): string {
  return content.map(({ text }) => (typeof text === 'string' ? text : '')).join('');
}

/** An empty one is for Gemini CLI. */
function structured({ structuredContent }: CallToolResult): string | undefined {
  return structuredContent === undefined ? undefined : JSON.stringify(structuredContent);
}

/** A session with one client. Every answer is checked against what the client shows. */
function session(client: string | undefined, budget?: number, computer?: Computer) {
  const answers = createFittedAnswers(computer, silentLog);
  onTestFinished(() => answers.close());
  const caller = { revision: '2025-06-18', client: client && { name: client, version: '1' }, capabilities: {} };
  let asked = 0;
  let largest = 0;
  async function ask(given: unknown, result?: JsonObject): Promise<CallToolResult> {
    const request = {
      jsonrpc: '2.0',
      id: ++asked,
      method: 'tools/call',
      params: { name: 'use_tool', arguments: { tool, ...(result && { result }) } },
    } as const;
    const call = fittedCall(request, { ...caller, client: caller.client || undefined }, budget);
    const answer = call === undefined ? given : (await answers.answerOf(call, given)).result;
    const bytes = bytesOf(answer);
    const value = bytes === undefined ? (answer as CallToolResult) : JSON.parse(textOf(bytes));
    if (client !== undefined) largest = Math.max(largest, shownBy[client]?.(value) ?? 0);
    return value;
  }
  /** Reads a kept result as the notes say, from the first page to the last. */
  async function readAll(begin: JsonObject): Promise<CallToolResult[]> {
    const pages: CallToolResult[] = [];
    for (let next: JsonObject | undefined = begin; next !== undefined; next = nextIn(pages.at(-1))) {
      pages.push(await ask({ content: [] }, next));
      if (pages.length > 20_000) throw new Error('the pages do not end');
    }
    return pages;
  }
  return { ask, readAll, largest: () => largest };
}

/** The value of `result` in the last call that the note of an answer has. */
function nextIn(answer: CallToolResult | undefined): JsonObject | undefined {
  const [call] = /Next: use_tool (\{.*\})$/m.exec(textsOfNote(answer).split('\n').at(-1) ?? '')?.slice(1) ?? [];
  const parsed: unknown = call === undefined ? undefined : JSON.parse(call);
  return isRecord(parsed) && isRecord(parsed['result']) ? parsed['result'] : undefined;
}

function textsOfNote(answer: CallToolResult | undefined): string {
  const [, note] = answer?.content ?? [];
  return typeof note?.['text'] === 'string' ? note['text'] : '';
}

function idIn(answer: CallToolResult): string {
  return /"of":"(r\d+)"/.exec(textsOfNote(answer))?.[1] ?? '';
}

const block = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });
const json = (value: unknown, indent?: number) => block(JSON.stringify(value, undefined, indent));
const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const numbered = (count: number, body: string) =>
  Array.from({ length: count }, (_, number) => ({ number, body: `${body}${number}` }));
const quotes = '"\\\n\t\u0001'.repeat(30);

const lists = {
  'small items': numbered(3_000, 'text '),
  'items of quotes, which grow when they are written as JSON twice': numbered(400, quotes),
  'items of emoji': numbered(400, '👩‍👩‍👧😀✓'.repeat(20)),
  'items that are larger than any client shows': [1, { a: 'x'.repeat(70_000) }, 2, { b: 'y'.repeat(70_000) }, 3],
  numbers: Array.from({ length: 20_000 }, (_, at) => at),
};
const texts = {
  lines: 'a line of a log ✓\n'.repeat(6_000),
  'one line of emoji': '😀'.repeat(80_000),
  'quotes and control characters': quotes.repeat(600),
  'JSON that is nested too deeply': `${'['.repeat(60_000)}${']'.repeat(60_000)}`,
};
const others: Record<string, CallToolResult> = {
  'an object with a large list': json({ total: 3_000, list: lists['small items'] }, 2),
  'several texts that are JSON': {
    content: lists['small items'].slice(0, 900).flatMap((one) => json(one).content ?? []),
  },
  'structured content alone': { content: [], structuredContent: { list: lists['small items'] } },
  'structured content that repeats the text': { ...block(texts.lines), structuredContent: { result: texts.lines } },
  'an error': { ...block(texts.lines), isError: true },
  'twenty thousand keys': json(Object.fromEntries(lists['numbers'].map((at) => [`key ${at}`, at]))),
  'images beside the text': {
    content: [...(block(texts.lines).content ?? []), { type: 'image', data: 'AAAA', mimeType: 'image/png' }],
  },
};

describe.each(Object.keys(clientResults))('for %s', (client) => {
  const limit = clientResults[client]?.chars ?? 0;

  test.each(Object.entries(lists))('a list of %s is read in pages, every item once and in order', async (_, list) => {
    const { ask, readAll, largest } = session(client);
    const outline = await ask(json(list, 1));
    const pages = await readAll({ of: idIn(outline), from: 0 });
    const items: unknown[] = [];
    for (const page of pages) {
      const [large] = /"select":"(\[\d+\])"/.exec(textsOfNote(page))?.slice(1) ?? [];
      if (large === undefined) items.push(...JSON.parse(String(page.content?.[0]?.['text'])));
      else items.push(JSON.parse((await readAll({ of: idIn(outline), select: large })).map(first).join('')));
    }
    expect(hash(JSON.stringify(items))).toBe(hash(JSON.stringify(list)));
    expect(largest()).toBeLessThanOrEqual(limit);
    expect(largest()).toBeGreaterThan(0.8 * limit);
  });

  test.each(Object.entries(texts))('a text of %s is read in pages that joined are the text', async (_, text) => {
    const { ask, readAll, largest } = session(client);
    const beginning = await ask(block(text));
    const pages = [beginning, ...(await readAll(nextIn(beginning) ?? resultAfter(beginning)))];
    expect(hash(pages.map(first).join(''))).toBe(hash(text));
    expect(largest()).toBeLessThanOrEqual(limit);
  });

  test.each(Object.entries(others))('nothing is over what it shows: %s', async (_, result) => {
    const { ask, largest } = session(client);
    for (const options of [undefined, { select: '@' }, { find: 'e' }, { from: 0 }, { select: 'nope' }, { max: 500 }])
      await ask(result, options);
    expect(largest()).toBeLessThanOrEqual(limit);
  });
});

function first({ content }: CallToolResult): string {
  return String(content?.[0]?.['text']);
}

/** The note of a beginning has more behind the next call. */
function resultAfter(beginning: CallToolResult): JsonObject {
  const [, call = '{}'] = /Next: use_tool (\{.*?\}\}) Search/.exec(textsOfNote(beginning)) ?? [];
  return JSON.parse(call).result;
}

test('a large item in a large item is reached by its index', async () => {
  const { ask } = session('claude-code');
  const list = [1, ['y'.repeat(70_000), 2]];
  const large = await ask(json(list), { from: 1 });
  expect(first(large)).toBe('[2 × string≤70000|number]');
  expect(textsOfNote(large)).toContain('Item 1 of 2 is shown as an outline: it is more than this client shows.');
  const inner = await ask({ content: [] }, { of: 'r1', select: '[1]' });
  expect(textsOfNote(inner)).toContain('"result":{"of":"r1","select":"[1] | [0]"}');
  const page = await ask({ content: [] }, { of: 'r1', select: '[1] | [0]' });
  expect(first(page)).toMatch(/^"y{47000,}$/);
});

test('a result of 50 MB is outlined for every client, searched and paged', async () => {
  posixOnly('keeps results in files');
  const list = numbered(400_000, 'x'.repeat(100));
  const home = mkdtempSync(join(tmpdir(), 'fitted-answer-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const computer = { env: {}, cwd: home, home, platform: 'linux' };
  const result = json(list);
  for (const [client, { chars }] of Object.entries(clientResults)) {
    const { ask, largest } = session(client, undefined, computer);
    expect(first(await ask(result))).toMatch(/^\[400000 × \{number: number, body: string/);
    expect(largest()).toBeLessThanOrEqual(chars);
  }
  const { ask, largest } = session('claude-code', undefined, computer);
  await ask(result);
  expect(first(await ask({ content: [] }, { of: 'r1', find: 'x399999' }))).toMatch(/^\[399999\]\.body: /);
  expect(first(await ask({ content: [] }, { of: 'r1', select: '[-1].number' }))).toBe('399999');
  expect(largest()).toBeLessThanOrEqual(48_000);
});

test.each([
  ['claude-code', undefined],
  ['claude-code', 0],
  ['gemini-cli-mcp-client', undefined],
  ['gemini-cli-mcp-client', 0],
] as const)('a large result for %s with the budget %s is parsed once, and so is its text', async (client, budget) => {
  const { ask } = session(client, budget);
  const bytes = [Buffer.from(JSON.stringify(json(numbered(20_000, 'x'.repeat(100)))))];
  const parse = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parse.mockRestore());
  await ask({ bytes: () => bytes }, client === 'claude-code' ? { select: '[-1].number' } : undefined);
  const large = parse.mock.calls.map(([text]) => text.length).filter((length) => length > 1_000_000);
  // The result, its text, and by this test the answer, if it is as large.
  expect(large).toContain(bytes[0]?.length);
  expect(large).toEqual([...new Set(large)]);
});

test('the search that the note of an error offers is made, and finds places', async () => {
  const { ask } = session('claude-code');
  const error = await ask({ ...block(`${texts.lines}the needle`), isError: true }, { find: 'needle' });
  expect(textsOfNote(error)).toContain(`"result":{"of":"r1","from":`);
  const found = await ask({ content: [] }, { of: 'r1', find: 'NEEDLE' });
  expect([first(found), found.isError]).toEqual(['line 6001: the needle', true]);
});

test('an error that has only structured content is cut like a text', async () => {
  const { ask, readAll } = session('claude-code');
  const structuredContent = { list: lists['small items'] };
  const error = await ask({ content: [], structuredContent, isError: true });
  const pages = [error, ...(await readAll(resultAfter(error)))];
  expect(JSON.parse(pages.map(first).join(''))).toEqual(structuredContent);
  expect(pages.every(({ isError }) => isError)).toBe(true);
});

test.each([
  ['copilot-cli', '漢'.repeat(6_700)],
  ['@cline/core', '"'.repeat(3_490)],
])('%s gets no text that is a little too long in the units that it counts', async (client, text) => {
  const { ask, largest } = session(client);
  for (const options of [undefined, { from: 0 }, { max: 7_000 }]) await ask(block(text), options);
  for (const options of [undefined, { from: 0 }, { select: '@' }]) await ask(json({ text }), options);
  expect(largest()).toBeLessThanOrEqual(clientResults[client]?.chars ?? 0);
});

test('a long expression, which the note repeats, leaves less room for the text', async () => {
  const { ask, largest } = session('@cline/core');
  const answer = await ask(json(lists['small items']), { select: `[?body != '${'"'.repeat(1_500)}'].number` });
  expect(nextIn(answer)).toMatchObject({ of: 'r1', from: expect.any(Number) });
  expect(largest()).toBeLessThanOrEqual(7_000);
  expect(largest()).toBeGreaterThan(6_700);
});

test('an image that is too large for the client does not take the room of the text before it', async () => {
  const { ask } = session('@cline/core');
  const image = { type: 'image', data: 'A'.repeat(100_000), mimeType: 'image/png' };
  const text = 'what is in the picture '.repeat(60);
  expect(await ask({ content: [image, { type: 'text', text }] })).toEqual({ content: [{ type: 'text', text }, image] });
  const cut = await ask({ content: [image, ...(block(texts.lines).content ?? [])] }, { from: 0 });
  expect(cut.content).toEqual([{ type: 'text', text: expect.any(String) }, expect.anything(), image]);
  expect(JSON.stringify(cut.content?.slice(0, 2)).length).toBeGreaterThan(3_000);
  expect(JSON.stringify(cut.content?.slice(0, 2)).length).toBeLessThanOrEqual(3_500);
});

test('an embedded resource counts as text that is shown, and is sent unchanged however large it is', async () => {
  const { ask } = session('claude-code');
  const resource = { type: 'resource', resource: { uri: 'notes://1', text: 'a note '.repeat(10_000) } };
  const alone = { content: [resource], structuredContent: undefined };
  expect(await ask(alone)).toBe(alone);
  const beside = await ask({ content: [resource, ...(json({ list: [1, 2] }, 2).content ?? [])] });
  expect(beside.content).toEqual([{ type: 'text', text: '{"list":[1,2]}' }, resource]);
});

test('`max` alone gives so many characters of a text, and the next call as many', async () => {
  const { ask } = session('somebody');
  const beginning = await ask(block('x'.repeat(5_000)), { max: 300 });
  expect(first(beginning)).toHaveLength(300);
  expect(resultAfter(beginning)).toEqual({ of: 'r1', from: 300, max: 300 });
});

test('`select` on a text leaves out nothing else that was wanted', async () => {
  const { ask } = session('claude-code');
  const answer = await ask(block('0123456789'.repeat(100)), { select: 'a', from: 995 });
  expect(first(answer)).toBe('56789');
  expect(textsOfNote(answer)).toMatch(
    /^\nselect was not applied: the result is text, not JSON\.\nCharacters 995 to 999/,
  );
});

test('a text that does not occur is not repeated in full', async () => {
  const { ask } = session('claude-code');
  expect(textsOfNote(await ask(block('a'), { find: 'b'.repeat(90_000) })).length).toBeLessThan(500);
});

test('an answer to a client that is not known is one that a message can carry', async () => {
  const { ask } = session('somebody');
  const result = json(Array.from({ length: 3 }, () => '漢'.repeat(600_000)));
  for (const select of ['[@,@,@][]', '{a:@,b:@,c:@}', "join('',[@,@][])"]) {
    const bytes = Buffer.byteLength(JSON.stringify(await ask(result, { select })));
    expect(bytes).toBeLessThan(longestMessageToAgent);
    expect(bytes).toBeGreaterThan(longestMessageToAgent / 2);
  }
});

test('a client that is not known gets everything whole, and is cut only by the setting', async () => {
  const result = json(lists['small items'], 1);
  expect(await session('somebody').ask(result)).toBe(result);
  expect(await session(undefined).ask(result)).toBe(result);
  const cut = await session('somebody', 5_000).ask(result);
  expect(textsOfNote(cut)).toContain('more than resultBudgetChars in the configuration.');
  expect(textsIn(cut).length).toBeLessThanOrEqual(5_000);
  expect(await session('claude-code', 0).ask(result)).toBe(result);
  expect(first(await session('claude-code', 0).ask(result, { select: 'length(@)' }))).toBe('3000');
});
