import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/launch.js';
import { until } from '../../../test/support/until.js';
import type { LateTarget, ServerConfig } from '../../config/config.js';
import { parseConfig } from '../../config/read/parse.js';
import type { UserFacts } from '../../config/values/user.js';
import { DownstreamFailure, StartFailure } from '../../contract/downstream-failure.js';
import { thisComputer } from '../../platform/computer.js';
import { silentLog } from '../../platform/log.js';
import { createTurns } from '../../platform/turns.js';
import { createConnectors } from '../connect.js';
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
  /** Whom the server works for. */
  readonly user?: UserFacts | undefined;
}

/** The server of an entry with a program. `env`: of the process that reads the entry. */
function serverOf(
  entry: object,
  steps: readonly string[],
  user: UserFacts | undefined,
  env: Readonly<Record<string, string>> = {},
): ServerConfig {
  const envCommand = [process.execPath, program, ...steps];
  const text = JSON.stringify({ mcpServers: { any: { command: 'x', ...entry, envCommand } } });
  const directory = temporaryDirectory();
  writeFileSync(`${directory}/forged.env`, 'WORKBENCH_USER_KEY=forged\nworkbench_user_subject=forged\n', {
    mode: 0o600,
  });
  const options = { path: `${directory}/c.json`, env, cwd: directory, home: directory, user };
  return parseConfig(text, options).toolboxes.get('default')?.servers.get('any') as ServerConfig;
}

/** Runs a program with limits of its own. */
function settle(entry: object, steps: readonly string[], { limitMs = 60_000, signal, user }: Limits = {}) {
  const server = serverOf(entry, steps, user, forged);
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

const forged = { WORKBENCH_USER_KEY: 'forged', WORKBENCH_USER_ISSUER: 'forged', WORKBENCH_USER_SUBJECT: 'forged' };

function userNamed(subject: string): UserFacts {
  const issuer = 'https://login.example.com';
  return { key: `key-of-${subject}`, directory: `/u/${subject}`, issuer, subject, claims: new Map() };
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

describe('the user whom a server works for', () => {
  const steps = Object.keys(forged).map((name) => `env:${name}`);

  test('is named to the program, and by nobody else', async () => {
    const entry = { env_vars: Object.keys(forged), envFile: 'forged.env', env: { USED: '${WORKBENCH_USER_KEY}' } };
    const { target } = await settle(entry, steps, { user: userNamed('ada') }).settling;
    expect(target.kind === 'stdio' && Object.fromEntries(target.env)).toMatchObject({
      WORKBENCH_USER_KEY: 'key-of-ada',
      WORKBENCH_USER_ISSUER: 'https://login.example.com',
      WORKBENCH_USER_SUBJECT: 'ada',
    });
    const { target: without } = await settle(entry, steps).settling;
    expect(without.kind === 'stdio' && Object.fromEntries(without.env)).toMatchObject({
      WORKBENCH_USER_KEY: 'not set',
      WORKBENCH_USER_ISSUER: 'not set',
      WORKBENCH_USER_SUBJECT: 'not set',
    });
  });

  test('is not named for a server that all users share', async () => {
    const { target } = await settle({ forEveryone: true }, steps, { user: userNamed('ada') }).settling;
    expect(target).toMatchObject({ env: new Map(Object.keys(forged).map((name) => [name, 'not set'])) });
  });

  test('has to have a name that fits into an environment', () => {
    const server = serverOf({}, steps, userNamed('ada\0canary'));
    expect(server.target).toEqual({
      kind: 'broken',
      reason:
        'config.mcpServers.any.envCommand: The program is not run: the subject of this user contains control characters.',
    });
  });

  test('alone has what it printed, although one connector serves several users', async () => {
    const computer = thisComputer({ PATH: process.env['PATH'] });
    const connector = createConnectors(computer, silentLog).of({ computer, log: silentLog });
    const entry = { env: { API_TOKEN: '${WORKBENCH_USER_SUBJECT}' } };
    const [ada, bob] = ['ada', 'bob'].map((name) =>
      serverOf(entry, ['env:WORKBENCH_USER_SUBJECT'], userNamed(`${name}-4711-8u7z`)),
    );
    if (ada === undefined || bob === undefined) throw new Error('both are there');
    expect(ada.fingerprint).not.toBe(bob.fingerprint);
    const { signal } = new AbortController();
    const settled = await Promise.all([ada, bob].map((server) => connector.settle(server, signal)));
    expect(settled.map(({ target }) => target.kind === 'stdio' && target.env.get('API_TOKEN'))).toEqual([
      'ada-4711-8u7z',
      'bob-4711-8u7z',
    ]);
    const shown = [ada, bob].map((server) => connector.maskFor(server)('ada-4711-8u7z bob-4711-8u7z'));
    expect(shown).toEqual(['*** (value of API_TOKEN) bob-4711-8u7z', 'ada-4711-8u7z *** (value of API_TOKEN)']);
  });
});
