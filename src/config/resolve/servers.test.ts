import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ServerConfig } from '../config.js';
import { parseConfig } from '../read/parse.js';

let directory = '';
beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'workbench-config-'));
  writeFileSync(path.join(directory, 'my.env'), 'FROM_FILE=file\nBOTH=file\nbad line\n', { mode: 0o600 });
});
afterAll(() => rmSync(directory, { recursive: true }));

function load(entry: object, { env = {}, defaults = {} }: { env?: Record<string, string>; defaults?: object } = {}) {
  const text = JSON.stringify({ defaults, toolboxes: { dev: { description: 'd', mcpServers: { api: entry } } } });
  const config = parseConfig(text, { path: path.join(directory, 'c.json'), env, cwd: '/project', home: '/home/me' });
  return { server: config.toolboxes.get('dev')?.servers.get('api') as ServerConfig, warnings: config.warnings };
}

function reasonOf(entry: object, env: Record<string, string> = {}): string {
  const { target } = load(entry, { env }).server;
  return target.kind === 'broken' ? target.reason : '';
}

describe('a server', () => {
  test('has the built-in settings by default', () => {
    expect(load({ command: 'x' }).server).toEqual({
      toolbox: 'dev',
      name: 'api',
      file: path.join(directory, 'c.json'),
      namedFile: path.join(directory, 'c.json'),
      target: { kind: 'stdio', command: 'x', args: [], env: new Map(), cwd: undefined },
      toolFilters: ['*'],
      excludedTools: [],
      rules: [],
      lock: 'note',
      limits: {
        startTimeoutMs: 120_000,
        callTimeoutMs: 300_000,
        callTotalTimeoutMs: 3_600_000,
        idleTimeoutMs: 600_000,
        maxConcurrentCalls: 32,
        maxQueuedCalls: 256,
        maxMessageBytes: 64 * 1024 * 1024,
        maxResultBytes: 9 * 1024 * 1024,
        runnerRefreshMs: 3_600_000,
      },
      roots: false,
      perSession: false,
      forEveryone: false,
      protocol: 'auto',
      secrets: [],
      disabled: false,
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      cacheKey: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test('takes its own settings before the defaults of the file', () => {
    const defaults = { callTimeoutMs: 1, idleTimeoutMs: 2, protocol: 'legacy', roots: true, perSession: true };
    const { server } = load({ command: 'x', idleTimeoutMs: 0, disabled: true, toolFilters: [] }, { defaults });
    expect(server.limits).toMatchObject({ callTimeoutMs: 1, idleTimeoutMs: 0, maxQueuedCalls: 256 });
    expect(server).toMatchObject({
      protocol: 'legacy',
      roots: true,
      perSession: true,
      disabled: true,
      toolFilters: [],
    });
    expect(load({ command: 'x', roots: false }, { defaults }).server.roots).toBe(false);
  });

  test('runs once per session if it is offered roots, whatever perSession says', () => {
    const perSessionOf = (entry: object, defaults = {}) =>
      load({ command: 'x', ...entry }, { defaults }).server.perSession;
    expect(perSessionOf({ roots: true })).toBe(true);
    expect(perSessionOf({}, { roots: true })).toBe(true);
    expect(perSessionOf({ roots: true, perSession: false })).toBe(true);
    expect(perSessionOf({ roots: false }, { roots: true })).toBe(false);
  });

  test('is resolved unless its entry, or else the defaults, say otherwise', () => {
    const targetOf = (entry: object, defaults = {}) => load({ command: 'npx', ...entry }, { defaults }).server.target;
    expect(targetOf({})).not.toHaveProperty('resolve');
    expect(targetOf({ resolve: false })).toHaveProperty('resolve', false);
    expect(targetOf({}, { resolve: false })).toHaveProperty('resolve', false);
    expect(targetOf({ resolve: true }, { resolve: false })).not.toHaveProperty('resolve');
  });

  test('with a long call timeout gets the same total timeout, unless the file sets one', () => {
    expect(load({ command: 'x', callTimeoutMs: 7_200_000 }).server.limits.callTotalTimeoutMs).toBe(7_200_000);
    const entry = { command: 'x', callTimeoutMs: 7_200_000, callTotalTimeoutMs: 5 };
    expect(load(entry).server.limits.callTotalTimeoutMs).toBe(5);
  });

  test('has its own rules, then those of defaults, with variables expanded', () => {
    const defaults = { deny: ['drop_*'], ask: ['@${WORD}', '${X:-y}'] };
    const entry = { command: 'x', ask: ['send_*', '@destructive'], allow: ['${A}'] };
    const { server } = load(entry, { defaults, env: { A: 'send_draft', WORD: 'write' } });
    expect(server.rules).toEqual([
      { from: 'server', deny: [], ask: ['send_*', '@destructive'], allow: ['send_draft'] },
      { from: 'defaults', deny: ['drop_*'], ask: ['@write', 'y'], allow: [] },
    ]);
    expect(server.secrets).toEqual([]);
    expect(load({ command: 'x', deny: [] }, { defaults: { allow: [] } }).server.rules).toEqual([]);
  });

  test.each([
    [{ ask: ['@${WORD}'] }, { WORD: 'wrtie' }, 'api.ask[0]: Not a rule'],
    [{ allow: ['${WORD}'] }, { WORD: '@write' }, 'api.allow[0]: Not a rule'],
    [{ deny: ['x', '${GONE}'] }, {}, 'GONE is not set (deny[1])'],
  ])('with a rule that is lost in its variables cannot be used: %j', (rules, env, reason) => {
    const { target } = load({ command: 'x', ...rules }, { env }).server;
    expect(target).toMatchObject({ kind: 'broken', reason: expect.stringContaining(reason) });
  });

  test('has variables expanded in all its strings', () => {
    const env = { A: 'a', HOST: 'x.test' };
    const entry = {
      command: '${A}',
      args: ['-${A}', '$${A}'],
      env: { K: '${A}${B:-b}' },
      cwd: '${A}',
      toolFilters: ['${A}_*'],
    };
    const { server } = load(entry, { env });
    expect(server.target).toEqual({
      kind: 'stdio',
      command: 'a',
      args: ['-a', '${A}'],
      env: new Map([['K', 'ab']]),
      cwd: path.join(directory, 'a'),
    });
    expect(server.toolFilters).toEqual(['a_*']);
    const remote = { url: 'https://${HOST}/mcp', headers: { Authorization: 'Bearer ${A}' } };
    expect(load(remote, { env }).server.target).toEqual({
      kind: 'remote',
      url: 'https://x.test/mcp',
      headers: new Map([['Authorization', 'Bearer a']]),
      credentials: 'the variable A',
      transport: 'auto',
    });
  });

  test.each([
    ['~', '/home/me'],
    ['~/x', '/home/me/x'],
    ['/abs', '/abs'],
    ['${UNSET:-}', undefined],
  ])('with cwd %j starts in %j', (cwd, expected) => {
    expect(load({ command: 'x', cwd }).server.target).toMatchObject({ cwd: expected && path.resolve(expected) });
  });

  test('with cwd ~user starts in a directory of that name', () => {
    expect(load({ command: 'x', cwd: '~user' }).server.target).toMatchObject({ cwd: path.join(directory, '~user') });
  });
});

describe('a server that cannot be used', () => {
  test('names the variables that are not set, their places, and how to set them', () => {
    const reason = reasonOf({ command: '${A}', args: ['${B}', '${A}'], env: { 'my key': '${C:-c}${B}' } }, { C: 'c' });
    expect(reason).toBe(
      'A (command, args[1]) and B (args[0], env["my key"]) are not set. ' +
        'Put A=… and B=… into secrets.env and write ${secret:A} and ${secret:B}.',
    );
    expect(reasonOf({ url: 'https://a.example', headers: { Authorization: 'Bearer ${TRACKER_TOKEN}' } })).toBe(
      'TRACKER_TOKEN is not set (headers.Authorization). Put TRACKER_TOKEN=… into secrets.env and write ${secret:TRACKER_TOKEN}.',
    );
  });

  test('does not affect the other servers', () => {
    const mcpServers = { bad: { command: '${NOPE}' }, good: { command: 'x' } };
    const text = JSON.stringify({ toolboxes: { dev: { description: 'd', mcpServers } } });
    const { toolboxes } = parseConfig(text, { path: '/c.json', env: {}, cwd: '/project', home: '/' });
    expect(Array.from(toolboxes.get('dev')?.servers.values() ?? [], ({ target }) => target.kind)).toEqual([
      'broken',
      'stdio',
    ]);
  });

  test.each([
    [{ command: '${E}' }, 'command: The command is empty after its variables are expanded.'],
    [{ url: '${E}' }, 'url: Not an http or https URL after its variables are expanded.'],
    [
      { url: 'http://x', headers: { A: 'a${NL}b' } },
      'headers.A: The value contains characters that are not allowed in a header.',
    ],
  ])('%j is reported without its value', (entry, expected) => {
    expect(reasonOf(entry, { E: '', NL: 'hunter2\n2' })).toBe(`config.toolboxes.dev.mcpServers.api.${expected}`);
  });
});

describe('an env file', () => {
  test('sets variables for the server; env overrides it, and invalid lines give a warning', () => {
    const { server, warnings } = load({ command: 'x', envFile: 'my.env', env: { BOTH: 'entry' } });
    expect(server.target).toMatchObject({
      env: new Map([
        ['FROM_FILE', 'file'],
        ['BOTH', 'entry'],
      ]),
    });
    const file = path.join(directory, 'my.env');
    expect(warnings).toEqual([
      `config.toolboxes.dev.mcpServers.api.envFile: line 3 of the env file ${file} is not NAME=value; it is ignored.`,
    ]);
  });

  test('is used for references after the real environment', () => {
    const { server } = load(
      { command: 'x', args: ['${FROM_FILE}', '${BOTH}'], envFile: './my.env' },
      { env: { BOTH: 'real' } },
    );
    expect(server.target).toMatchObject({ args: ['file', 'real'] });
  });

  test.each([
    ['nope.env', 'it does not exist'],
    ['.', 'it is a directory'],
  ])('that cannot be used (%s) makes its server unavailable', (envFile, problem) => {
    const shown = path.join(directory, envFile);
    expect(reasonOf({ command: 'x', envFile })).toBe(
      `config.toolboxes.dev.mcpServers.api.envFile: Cannot use the env file ${shown}: ${problem}. Create it, or correct the path.`,
    );
  });

  test('whose path comes from a variable is not named', () => {
    expect(reasonOf({ command: 'x', envFile: '${P}' }, { P: 'hunter2' })).not.toContain('hunter2');
    expect(reasonOf({ command: 'x', envFile: '${P}' })).toContain('P is not set (envFile).');
  });
});

test('every value that may be a secret is recorded with its name, by where it comes from', () => {
  const env = { A: 'a-value', ROOT: '/root-of-all', DIR: 'x//y' };
  const secretsOf = (entry: object) => load(entry, { env }).server.secrets.map(({ name, value }) => `${name}=${value}`);
  const program = {
    command: '${A}',
    args: ['--x=${B:-a default}', '$${A}', 'literal'],
    env: { KEY: 'Bearer ${A}', PLAIN: 'plain' },
    envFile: './my.env',
    cwd: '/${DIR}',
  };
  expect(new Set(secretsOf(program))).toEqual(
    new Set([
      'A=a-value',
      'B=a default',
      'KEY=Bearer a-value',
      'PLAIN=plain',
      'DIR=x//y',
      `cwd=${path.resolve('/x/y')}`,
      'FROM_FILE=file',
      'BOTH=file',
    ]),
  );
  const remote = { url: 'https://me:pw@example.com/?k=${A}', headers: { Authorization: 'Bearer ${A}' } };
  expect(new Set(secretsOf(remote))).toEqual(
    new Set(['A=a-value', 'Authorization=Bearer a-value', 'user=me', 'password=pw', 'k=a-value', 'query=k=a-value']),
  );
  expect(secretsOf({ command: 'x', cwd: '/literal', args: ['literal'] })).toEqual([]);
});
