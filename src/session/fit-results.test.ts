import { describe, expect, test } from 'vitest';
import { until } from '../../test/support/until.js';
import type { RpcMessage } from '../jsonrpc/messages.js';
import { silentLog } from '../platform/log.js';
import { bytesOf } from '../results/held-bytes.js';
import type { Calls } from './conversation.js';
import { fitResults } from './fit-results.js';
import type { AgentOutput } from './transport.js';

/** A session whose calls are answered by the test. */
function session(computer: () => undefined = () => undefined) {
  const sent: RpcMessage[] = [];
  const output: AgentOutput = { send: (message) => void sent.push(message), maxBytes: 1, unread: 7 };
  const shown: unknown[] = [];
  const calls: Calls = {
    ...{ start() {}, cancel() {}, answered() {}, rootsChanged() {} },
    shown: (id, chars) => void shown.push([id, chars]),
  };
  const fitting = fitResults(output, { budget: () => undefined, computer, log: silentLog });
  const { output: fitted } = fitting;
  const served = fitting.around(calls);
  return {
    sent,
    shown,
    fitting,
    output,
    fitted,
    cancel: (id: number) => served.cancel(id),
    begin: (id: number, client: string | undefined, method = 'tools/call', params = {}) => {
      const info = client === undefined ? undefined : { name: client, version: '1' };
      served.start({ jsonrpc: '2.0', id, method, params }, { revision: '2025-06-18', client: info, capabilities: {} });
    },
    answer: async (id: number, result: unknown): Promise<unknown> => {
      fitted.send({ jsonrpc: '2.0', id, result });
      const message = await until(() => sent.find((one) => 'id' in one && one.id === id));
      return 'result' in message ? message.result : undefined;
    },
  };
}

const held = (value: object) => {
  const json = JSON.stringify(value);
  const pieces = [Buffer.from(json.slice(0, 9)), json.slice(9)];
  return { bytes: () => pieces };
};
const text = (content: string) => ({ content: [{ type: 'text', text: content }] });

/** The bytes that reach the agent. */
function written(result: unknown): string {
  const bytes = bytesOf(result);
  return bytes === undefined ? JSON.stringify(result) : bytes.map((piece) => Buffer.from(piece).toString()).join('');
}

describe('Gemini CLI takes a text that is JSON for structured content, which has to be an object', () => {
  test.each(['[1]', ' [{"a":"✓"}]\n', '7', '"text"', 'true', 'null'])(
    'so the result %j gets an empty one, as a value and as bytes',
    async (json) => {
      const { begin, answer } = session();
      begin(1, 'gemini-cli-mcp-client');
      begin(2, 'gemini-cli-mcp-client-workbench');
      const expected = JSON.stringify({ ...text(json), structuredContent: {} });
      expect(written(await answer(1, text(json)))).toBe(expected);
      expect(written(await answer(2, held(text(json))))).toBe(expected);
    },
  );

  test.each([
    ['an object', text('{"a":1}')],
    ['a text that is not JSON', text('[draft] to do')],
    ['a list of structured content as well', { ...text('[1]'), structuredContent: { list: [1] } }],
    [
      'an image before the list',
      { content: [{ type: 'image', data: '', mimeType: 'image/png' }, ...text('[1]').content] },
    ],
    ['no content', { content: [] }],
    ['questions', { resultType: 'input_required', inputRequests: {} }],
  ])('a result with %s stays as it is', async (_, result) => {
    const { begin, answer } = session();
    begin(1, 'gemini-cli-mcp-client');
    begin(2, 'gemini-cli-mcp-client');
    const bytes = held(result);
    expect(await answer(1, result)).toBe(result);
    expect(await answer(2, bytes)).toBe(bytes);
  });

  test('results for other clients are sent at once, without a look at them', () => {
    const { begin, fitted, sent } = session();
    begin(1, 'somebody');
    begin(2, undefined);
    begin(3, 'gemini-cli-mcp-client', 'resources/read');
    for (const id of [1, 2, 3]) fitted.send({ jsonrpc: '2.0', id, result: text('[1]') });
    expect(sent.map((message) => 'result' in message && message.result)).toEqual([1, 2, 3].map(() => text('[1]')));
  });
});

test('a call that is cancelled while its result is fitted gets no response, and its id can be used again', async () => {
  const { begin, cancel, fitted, answer, sent } = session();
  begin(1, 'gemini-cli-mcp-client');
  fitted.send({ jsonrpc: '2.0', id: 1, result: text('[1]') });
  cancel(1);
  begin(1, 'gemini-cli-mcp-client');
  expect(await answer(1, text('[2]'))).toMatchObject(text('[2]'));
  expect(sent).toHaveLength(1);
});

test('an error response, notifications and the state of the transport pass through', () => {
  const { begin, fitted, output, sent } = session();
  begin(1, 'gemini-cli-mcp-client');
  fitted.send({ jsonrpc: '2.0', method: 'notifications/progress', params: {} }, 1);
  fitted.send({ jsonrpc: '2.0', id: 1, error: { code: 1, message: 'no' } });
  expect(sent).toHaveLength(2);
  fitted.maxBytes = 12;
  fitted.ondrain = () => {};
  expect(output).toMatchObject({ maxBytes: 12, ondrain: fitted.ondrain });
  expect(fitted.unread).toBe(7);
});

test('a result that cannot be fitted is sent as it came, and reading a kept one fails', async () => {
  const { begin, answer, fitted, sent } = session(() => {
    throw new Error('no such part');
  });
  const tool = { toolbox: 'dev', server: 'any', name: 'read' };
  const use = (result: object) => ({ name: 'use_tool', arguments: { tool, result } });
  begin(1, undefined, 'tools/call', use({ select: 'a' }));
  expect(await answer(1, text('{"a":1}'))).toEqual(text('{"a":1}'));
  begin(2, undefined, 'tools/call', use({ of: 'r1' }));
  fitted.send({ jsonrpc: '2.0', id: 2, result: { content: [] } });
  expect(await until(() => sent.find((one) => 'id' in one && one.id === 2))).toMatchObject({
    error: { message: 'no such part' },
  });
});

describe('the link is told how many characters the agent got', () => {
  const tool = { toolbox: 'dev', server: 'any', name: 'read' };
  const use = (result?: object) => ({ name: 'use_tool', arguments: { tool, ...(result && { result }) } });
  const items = JSON.stringify(Array.from({ length: 20_000 }, (_, at) => ({ at, text: 'some text' })));

  test('of a result that was selected or cut, with its texts and the note', async () => {
    const { begin, answer, shown } = session();
    begin(1, undefined, 'tools/call', use({ select: 'a' }));
    expect(await answer(1, text('{"a":[1,2],"b":3}'))).toEqual(text('[1,2]'));
    begin(2, 'claude-code', 'tools/call', use());
    const cut = await answer(2, held(text(items)));
    const length = JSON.parse(JSON.stringify(cut)).content.reduce(
      (sum: number, one: { text: string }) => sum + one.text.length,
      0,
    );
    expect(length).toBeLessThan(10_000);
    expect(shown).toEqual([
      [1, 5],
      [2, length],
    ]);
  });

  test('under the id that the call had there', async () => {
    const { begin, fitting, sent, shown } = session();
    begin(1, undefined, 'tools/call', use({ select: 'a' }));
    fitting.answer({ jsonrpc: '2.0', id: 1, result: text('{"a":1}') }, 4_711);
    await until(() => sent.length === 1);
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 1, result: text('1') }]);
    expect(shown).toEqual([[4_711, 1]]);
  });

  test('but not of one that was sent as it came, was repaired only, failed, or was cancelled', async () => {
    const { begin, answer, cancel, fitted, sent, shown } = session();
    begin(1, 'claude-code', 'tools/call', use());
    expect(await answer(1, text('small'))).toEqual(text('small'));
    begin(2, 'claude-code', 'tools/call', use());
    const nearly = { ...text('{"a":1}'), structuredContent: { a: 1 } };
    expect(await answer(2, nearly)).toBe(nearly);
    begin(3, 'gemini-cli-mcp-client', 'tools/call', use());
    expect(await answer(3, text('[1]'))).toMatchObject({ structuredContent: {} });
    begin(4, undefined, 'tools/call', use({ of: 'r9' }));
    expect(await answer(4, { content: [] })).toMatchObject({ isError: true });
    begin(5, undefined, 'tools/call', use({ select: 'a' }));
    fitted.send({ jsonrpc: '2.0', id: 5, result: text('{"a":1}') });
    cancel(5);
    begin(6, undefined, 'tools/call', use({ select: 'a' }));
    await answer(6, text('{"a":1}'));
    expect(sent).toHaveLength(5);
    expect(shown).toEqual([[6, 1]]);
  });
});
