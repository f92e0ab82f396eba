import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/launch.js';
import { until } from '../../../test/support/until.js';
import type { LateTarget, ServerConfig } from '../../config/config.js';
import { parseConfig } from '../../config/read/parse.js';
import { DownstreamFailure, StartFailure } from '../../contract/downstream-failure.js';
import { thisComputer } from '../../platform/computer.js';
import { createTurns } from '../../platform/turns.js';
import { createMasks } from '../masking/masks.js';
import type { Journal } from '../protocol/journal.js';
import type { Child } from '../stdio/child.js';
import { startProcess } from '../stdio/open-wire.js';
import { createWatchdog } from '../stdio/watchdog.js';
import { settleServer } from './settle-server.js';

const program = fileURLToPath(new URL('../../../test/fixtures/print-variables.mjs', import.meta.url));

interface Limits {
  readonly limitMs?: number;
  readonly signal?: AbortSignal;
}

/** Runs a program with limits of its own. */
function settle(entry: object, steps: readonly string[], { limitMs = 60_000, signal }: Limits = {}) {
  const envCommand = [process.execPath, program, ...steps];
  const text = JSON.stringify({ mcpServers: { any: { command: 'x', ...entry, envCommand } } });
  const directory = temporaryDirectory();
  const options = { path: `${directory}/c.json`, env: {}, cwd: directory, home: directory };
  const server = parseConfig(text, options).toolboxes.get('default')?.servers.get('any') as ServerConfig;
  const computer = thisComputer({ PATH: process.env['PATH'] });
  const environment = new Map([['PATH', process.env['PATH'] ?? '']]);
  const watchdog = createWatchdog(computer.platform, () => {});
  const children: Child[] = [];
  const lines: string[] = [];
  const journalFor = (_: unknown, mask: Journal['mask']): Journal => ({
    ...{ file: undefined, mask },
    note: (line) => void lines.push(mask(line)),
    warn: (line) => void lines.push(mask(line)),
    output: (line) => void lines.push(line),
  });
  const surroundings = {
    masks: createMasks(environment),
    journalFor,
    async start(...[target, journal, start]: Parameters<Parameters<typeof settleServer>[2]['start']>) {
      const place = { cacheDirectory: undefined, asking: new Map() };
      const its = { computer, environment, watchdog, turns: createTurns(), ...place };
      const { child } = await startProcess(target, its, journal, start);
      children.push(child);
      return child;
    },
    limits: { limitMs, maxBytes: 10_000 },
  };
  const settling = settleServer(
    server,
    server.target as LateTarget,
    surroundings,
    signal ?? new AbortController().signal,
  );
  return { settling, children, lines };
}

/** The failure, after its processes have ended. */
async function failureOf(settling: Promise<unknown>): Promise<StartFailure> {
  const failure = await settling.then(
    () => new Error('it did not fail'),
    (error: unknown) => error,
  );
  if (!(failure instanceof StartFailure)) throw failure;
  await failure.cleanup;
  return failure;
}

test('a program that does not exit in time is ended, and the reason says so', async () => {
  const { settling, children } = settle({}, ['hang'], { limitMs: 500 });
  const { message } = await failureOf(settling);
  expect(message).toContain('did not exit within 0.5 s; it wrote nothing to stderr');
  await children[0]?.exited;
});

test('a program that is slow, but in time, is waited for', async () => {
  const { settling } = settle({ env: { USED: '${A}' } }, ['wait:300', 'out:A=slow']);
  const { target } = await settling;
  expect(target).toMatchObject({
    kind: 'stdio',
    env: new Map([
      ['A', 'slow'],
      ['USED', 'slow'],
    ]),
  });
});

test('a program that prints more than the limit is ended at once', async () => {
  const { settling } = settle({}, ['big:10001', 'hang']);
  expect((await failureOf(settling)).message).toContain('printed more than 0.01 MB');
  const { settling: enough } = settle({}, ['big:10000']);
  expect((await enough).target.kind).toBe('stdio');
});

test('a cancelled start ends the program', async () => {
  const abort = new AbortController();
  const { settling, children } = settle({}, ['hang'], { signal: abort.signal });
  const failed = failureOf(settling);
  await until(() => children.length > 0);
  abort.abort();
  expect((await failed).kind).toBe('cancelled');
  await children[0]?.exited;
});

test('values that it printed are secrets of its server, and are masked in its own stderr', async () => {
  const { settling, lines } = settle({ url: 'https://${HOST}/', command: undefined }, [
    'out:TOKEN=canary-0123456789\nHOST=a.test\nnot a line\n',
    'err:found canary-0123456789',
  ]);
  const { server, target } = await settling;
  expect(target).toMatchObject({ kind: 'remote', url: 'https://a.test/' });
  expect(server.secrets).toContainEqual({ name: 'TOKEN', value: 'canary-0123456789' });
  expect(lines).toContain('envCommand: found ***');
  expect(lines).toContain('line 3 of the output of envCommand is not NAME=value; it is ignored');
  expect(lines.join()).not.toContain('canary-0123456789');
});

const hexOf = (text: string) => Buffer.from(text).toString('hex');

test.each([
  ['broken JSON', '{"TOKEN":"canary-0123456789"'],
  ['nested JSON', '{"login":{"TOKEN":"canary-0123456789"}}'],
  ['a sentence', 'Your token is canary-0123456789.\ncanary-0123456789'],
  ['lines of another kind', 'A=b\nTOKEN: canary-0123456789\n'],
  ['bytes that are no text', 'TOKEN=canary-0123456789\n\u0000'],
])('values in %s are masked in its stderr as well', async (_, output) => {
  // Not as they are: of arguments, keys are masked anyway.
  const steps = [`hex:${hexOf(output)}`, `errhex:${hexOf('found canary-0123456789')}`, 'exit:1'];
  const { settling, lines } = settle({}, steps);
  expect((await failureOf(settling)).message).toContain('last stderr line: found ***');
  expect(lines).toContain('envCommand: found ***');
  expect(lines.join()).not.toContain('canary-0123456789');
});

test('a start that takes too long names the program that is waited for', async () => {
  const abort = new AbortController();
  const { settling, children } = settle({}, ['hang'], { signal: abort.signal });
  const failed = failureOf(settling);
  await until(() => children.length > 0);
  abort.abort(new DownstreamFailure('timeout', 'it was not ready in time'));
  expect((await failed).message).toBe(`it was not ready in time: its envCommand '${process.execPath}' had not exited`);
});

test('a name in the reason is shortened', async () => {
  const { settling } = settle({}, [`hex:${hexOf(JSON.stringify({ ['n'.repeat(5_000)]: 1 }))}`]);
  expect((await failureOf(settling)).message).toContain(`${'n'.repeat(99)}… is not a string`);
});

test('a variable that it does not print makes its server unavailable', async () => {
  const { settling } = settle({ env: { A: '${NOT_PRINTED}' } }, ['out:B=c']);
  expect((await settling).target).toMatchObject({
    kind: 'broken',
    reason: expect.stringContaining('NOT_PRINTED is not set (env.A)'),
  });
});
