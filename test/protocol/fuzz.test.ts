import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/read/parse.js';
import { WorkbenchError } from '../../src/contract/errors.js';
import { opened, text } from '../support/agents.js';
import { residentMb } from '../support/bare-client.js';
import { callLog } from '../support/call-log.js';
import { devToolbox } from '../support/configs.js';
import { runnerOf } from '../support/hosts.js';
import * as inProcess from '../support/in-process.js';
import { linuxOnly } from '../support/platform.js';
import { fixture, fixtureWith } from '../support/servers.js';
import { startStopwatch } from '../support/stopwatch.js';
import { initialize, modern, type RunningWorkbench, startWorkbench } from '../support/workbench.js';

linuxOnly('memory in /proc');

const mostMb = 300;

/** Ids that the test uses for no request. */
const strangeId = fc.oneof(
  fc.constantFrom(null, true, -1, 0, 1.5, 1e300, '', '__proto__', 'x'),
  fc.string({ maxLength: 10 }).map((id) => `fuzz ${id}`),
  fc.constant({ id: 1 }),
  fc.constant([1]),
);

const useEcho = (args: unknown) => ({
  name: 'use_tool',
  arguments: { tool: { toolbox: 'dev', server: 'any', name: 'echo' }, arguments: args },
});

const strangeParams = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.record({
    name: fc.constantFrom('use_tool', 'open_toolbox', 'other', 7),
    arguments: fc.jsonValue({ maxDepth: 3 }),
  }),
  fc.jsonValue({ maxDepth: 2 }).map(useEcho),
  fc.record({ _meta: fc.jsonValue({ maxDepth: 2 }), protocolVersion: fc.jsonValue({ maxDepth: 1 }) }),
  fc.record({ requestId: strangeId, progressToken: strangeId, progress: fc.jsonValue({ maxDepth: 1 }) }),
);

const method = fc.oneof(
  fc.constantFrom(
    ...['initialize', 'server/discover', 'ping', 'tools/list', 'tools/call', 'resources/list', 'logging/setLevel'],
    ...['notifications/initialized', 'notifications/cancelled', 'notifications/progress', 'completion/complete'],
    ...['subscriptions/listen', 'tasks/list', '', '__proto__'],
  ),
  fc.jsonValue({ maxDepth: 1 }),
);

/** Messages of an agent, with some fields missing and unknown ones added. */
const oddMessage = fc
  .record(
    {
      jsonrpc: fc.constantFrom('2.0', '2.0', '2.0', '1.0', 2, null),
      id: strangeId,
      method,
      params: strangeParams,
      result: fc.jsonValue({ maxDepth: 2 }),
      error: fc.jsonValue({ maxDepth: 2 }),
    },
    { requiredKeys: ['jsonrpc'] },
  )
  .map((message) => Buffer.from(JSON.stringify(message)));

/** The same with damage: some bytes are changed, or the end is missing. No digits, which could form an id that the test uses. */
const damaged = fc
  .tuple(
    oddMessage,
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(...Buffer.from('{}[]",:\\\0 x'), 0xff, 0x0d)), { maxLength: 5 }),
    fc.nat(),
  )
  .map(([message, changes, cut]) => {
    const copy = Buffer.from(message);
    for (const [at, byte] of changes) copy[at % copy.length] = byte;
    return cut % 3 === 0 ? copy.subarray(0, cut % copy.length) : copy;
  });

const bytes = fc
  .uint8Array({ maxLength: 200 })
  .map((array) => Buffer.from(array.map((byte) => (byte === 10 ? 11 : byte))));

const line = fc.oneof(oddMessage, damaged, damaged, bytes, fc.constant(Buffer.alloc(0)));

/** Sends calls between the noise; each must be answered with its own arguments, and once. */
async function expectOwnAnswers(workbench: RunningWorkbench, era: string, noise: readonly Buffer[]): Promise<void> {
  const wrap = (params: object) => (era === 'modern' ? modern(params) : params);
  const ids = noise.map((_, index) => `mine-${index}`);
  for (const [index, bytesBefore] of noise.entries()) {
    workbench.write(Buffer.concat([bytesBefore, Buffer.from('\n')]));
    workbench.send({ id: ids[index], method: 'tools/call', params: wrap(useEcho({ index })) });
  }
  const answers = await Promise.all(ids.map((id) => workbench.answerTo(id)));
  for (const [index, answer] of answers.entries()) {
    expect(answer.result?.['content']).toEqual([{ type: 'text', text: JSON.stringify({ index }) }]);
  }
  const messages = workbench.lines.map((content) => JSON.parse(content));
  for (const message of messages) expect(message).toMatchObject({ jsonrpc: '2.0' });
  for (const id of ids)
    expect(messages.filter((message) => message.id === id && !('method' in message))).toHaveLength(1);
}

describe.each([
  ['legacy', 'through the program', startWorkbench],
  ['modern', 'in process', inProcess.startWorkbench],
])('from a %s agent %s', (era, _, start) => {
  test('any bytes and any messages leave every call with its own answer', { timeout: 90_000 }, async () => {
    const property = fc.asyncProperty(fc.array(line, { minLength: 10, maxLength: 60 }), async (noise) => {
      const workbench = start({ config: devToolbox({ any: fixture() }) });
      try {
        if (era === 'legacy') await initialize(workbench);
        else await workbench.request('tools/list', modern());
        await expectOwnAnswers(workbench, era, noise);
        if (start === startWorkbench) expect(residentMb(runnerOf(workbench))).toBeLessThan(mostMb);
      } finally {
        workbench.end();
      }
      expect(await workbench.exited).toEqual({ code: 0, signal: null });
    });
    await fc.assert(property, { numRuns: 12 });
  });
});

test('any bytes before the first message leave the workbench working', { timeout: 60_000 }, async () => {
  const property = fc.asyncProperty(fc.array(fc.oneof(bytes, damaged), { maxLength: 20 }), async (noise) => {
    const workbench = startWorkbench({ config: devToolbox({ any: fixture() }) });
    workbench.write(Buffer.concat(noise.flatMap((content) => [content, Buffer.from('\n')])));
    workbench.end();
    expect(await workbench.exited).toEqual({ code: 0, signal: null });
    for (const content of workbench.lines) expect(JSON.parse(content)).toMatchObject({ jsonrpc: '2.0' });
  });
  await fc.assert(property, { numRuns: 10 });
});

test('from a server, any bytes and any messages leave every call with its own answer', {
  timeout: 90_000,
}, async () => {
  const property = fc.asyncProperty(fc.nat(), fc.boolean(), fc.boolean(), async (seed, isModern, isPartial) => {
    const log = callLog();
    const flags = ['--fuzz', seed, '--log', log.path, ...(isModern ? ['--modern'] : [])];
    const config = devToolbox({ any: fixture(...flags, ...(isPartial ? ['--noise', 'partial'] : [])) });
    const agent = await inProcess.connectAgent(seed % 2 === 0 ? 'v2 modern' : 'v2 legacy', { config });
    try {
      expect(opened(await agent.open('dev')).servers_connected).toBe(1);
      const calls = Array.from({ length: 50 }, async (_, index) =>
        text(await agent.use('dev', 'any', 'echo', { index })),
      );
      expect(await Promise.all(calls)).toEqual(Array.from({ length: 50 }, (_, index) => JSON.stringify({ index })));
      expect(log.methods('start')).toHaveLength(1);
      expect(log.methods('tools/call')).toHaveLength(50);
    } finally {
      await agent.close();
    }
  });
  await fc.assert(property, { numRuns: 12 });
});

test('from a server, any list of tools with any schemas is listed or left out, without a network', {
  timeout: 60_000,
}, async () => {
  const schema = fc.oneof(
    fc.jsonValue({ maxDepth: 4 }),
    fc.record({ type: fc.constant('object'), properties: fc.jsonValue({ maxDepth: 3 }) }),
    fc.constant({ type: 'object', properties: { a: { $ref: 'http://127.0.0.1:9/schema.json' } }, required: ['a'] }),
    fc.constant({ $ref: '#' }),
    fc.constant({ type: 'object', properties: { a: { pattern: '(a+)+$' } } }),
  );
  const tool = fc.oneof(
    fc.record({ name: fc.string({ minLength: 1, maxLength: 8 }), inputSchema: schema }),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const property = fc.asyncProperty(fc.array(tool, { maxLength: 8 }), async (tools) => {
    const config = devToolbox({ any: fixtureWith([...tools, 'last']) });
    const agent = await inProcess.connectAgent('v2 modern', { config });
    try {
      const listed = opened(await agent.open('dev')).tools;
      expect(listed.at(-1)?.name).toBe('last');
      for (const { name } of listed) {
        const elapsed = startStopwatch();
        const result = await agent.use('dev', 'any', name, { a: `${'a'.repeat(40)}!` });
        expect(result.content.length).toBeGreaterThan(0);
        expect(elapsed()).toBeLessThan(5_000);
      }
    } finally {
      await agent.close();
    }
  });
  await fc.assert(property, { numRuns: 10 });
});

describe('a configuration of any content', () => {
  const options = {
    path: '/etc/workbench-config.json',
    env: { HOME: '/home/me', KEY: 'value' },
    cwd: '/project',
    home: '/home/me',
  };

  /** A configuration or a WorkbenchError, in bounded time. */
  function expectAnswer(content: string): void {
    const elapsed = startStopwatch();
    try {
      expect(parseConfig(content, options).toolboxes).toBeInstanceOf(Map);
    } catch (error) {
      if (!(error instanceof WorkbenchError)) throw error;
      expect(error.code).toBe('CONFIG_INVALID');
      expect(error.message).toMatch(/workbench-config\.json/);
    }
    expect(elapsed()).toBeLessThan(2_000);
  }

  const anyText = fc.oneof(
    fc.constantFrom('', '${KEY}', '${', '$${', '${KEY:-}', '${A:-b}c', '*', 'x', '__proto__', '~', './x', 'https://x/'),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  const any = fc.oneof(anyText, fc.jsonValue({ maxDepth: 3 }));
  const server = fc.record(
    {
      command: fc.oneof(anyText, any),
      args: fc.oneof(fc.array(anyText), any),
      env: fc.oneof(fc.dictionary(anyText, anyText), any),
      envFile: any,
      cwd: any,
      url: any,
      headers: fc.oneof(fc.dictionary(anyText, anyText), any),
      toolFilters: fc.oneof(fc.array(anyText), any),
      type: any,
      protocol: any,
      disabled: any,
      callTimeoutMs: fc.oneof(fc.integer(), any),
      maxMessageBytes: fc.oneof(fc.double(), any),
    },
    { requiredKeys: [] },
  );
  const toolbox = fc.record(
    { description: any, mcpServers: fc.oneof(fc.dictionary(anyText, server), any) },
    { requiredKeys: [] },
  );
  const file = fc.record(
    { toolboxes: fc.oneof(fc.dictionary(anyText, toolbox), any), defaults: any, openTimeoutMs: any },
    { requiredKeys: [] },
  );

  test('of the right structure becomes a configuration or a WorkbenchError', () => {
    fc.assert(
      fc.property(file, (content) => expectAnswer(JSON.stringify(content, undefined, 1))),
      { numRuns: 500 },
    );
  });

  test('with damage becomes a configuration or a WorkbenchError', () => {
    const change = fc.tuple(
      fc.nat(),
      fc.constantFrom('{', '}', '[', ']', '"', ',', ':', '/*', '//', '\\', '\n', '\0', 'é'),
    );
    const property = fc.property(file, fc.array(change, { minLength: 1, maxLength: 6 }), (content, changes) => {
      const damagedText = changes.reduce((whole, [at, put]) => {
        const place = at % (whole.length + 1);
        return whole.slice(0, place) + put + whole.slice(place + 1);
      }, JSON.stringify(content));
      expectAnswer(damagedText);
    });
    fc.assert(property, { numRuns: 500 });
  });

  test('of any text becomes a configuration or a WorkbenchError', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 500 }), expectAnswer), { numRuns: 500 });
  });

  test.each([
    ['nesting', `${'{"a":'.repeat(100_000)}1`],
    ['lists', '['.repeat(100_000)],
    ['one long key', `{"${'x'.repeat(2_000_000)}":1}`],
    ['many faults', `{"toolboxes":{${Array.from({ length: 20_000 }, (_, i) => `"${i}":1`).join(',')}}}`],
    [
      'many references',
      JSON.stringify({
        toolboxes: { a: { description: 'x', mcpServers: { s: { command: '${A:-'.repeat(50_000) } } } },
      }),
    ],
  ])('of great size becomes an error of ours in bounded time: %s', (_, content) => expectAnswer(content));
});
