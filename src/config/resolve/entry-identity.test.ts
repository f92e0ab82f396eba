import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ServerConfig } from '../config.js';
import { parseConfig } from '../read/parse.js';
import { quickFile } from '../read/quick.js';
import { cacheKeyOf } from './entry-identity.js';

const base = { command: 'x', args: ['a', '${ARG:-b}'], env: { A: '1', TOKEN: '${TOKEN:-none}' } };
const configFile = path.join('/', 'home', 'me', 'c.json');

function textOf(entry: object, more: object = {}): string {
  return JSON.stringify({ ...more, toolboxes: { dev: { description: 'd', mcpServers: { api: entry } } } });
}

function serverOf(entry: object, env: Record<string, string> = {}, more: object = {}): ServerConfig {
  const config = parseConfig(textOf(entry, more), { path: configFile, env, cwd: '/project', home: '/home/me' });
  const server = config.toolboxes.get('dev')?.servers.get('api');
  if (server === undefined) throw new Error('no server');
  return server;
}

describe('the fingerprint of an entry', () => {
  test.each([
    ['the order of its keys', { env: base.env, args: base.args, command: 'x' }],
    ['the order of its variables', { ...base, env: { TOKEN: '${TOKEN:-none}', A: '1' } }],
    ['filters', { ...base, toolFilters: ['read_*'] }],
    ['rules', { ...base, deny: ['a'], ask: ['@write'], allow: ['c'] }],
    ['a limit of calls', { ...base, callTimeoutMs: 1_000, maxConcurrentCalls: 1, idleTimeoutMs: 0 }],
  ])('does not depend on %s', (_, entry) => {
    expect(serverOf(entry).fingerprint).toBe(serverOf(base).fingerprint);
  });

  test.each([
    ['an argument', { ...base, args: ['a', 'c'] }],
    ['the order of arguments', { ...base, args: ['b', 'a'] }],
    ['a variable', { ...base, env: { ...base.env, A: '2' } }],
    ['a directory', { ...base, cwd: '/' }],
    ['roots', { ...base, roots: true }],
    ['the revision', { ...base, protocol: 'legacy' }],
    ['being disabled', { ...base, disabled: true }],
    ['the limit of its wire', { ...base, maxMessageBytes: 1_000_000 }],
    ['a url', { url: 'https://a.test' }],
  ])('changes with %s', (_, entry) => {
    expect(serverOf(entry).fingerprint).not.toBe(serverOf(base).fingerprint);
  });

  test('does not depend on the words of the client, also if a program prints its variables', () => {
    const program = { envCommand: ['op', 'inject'] };
    const ours = serverOf({ ...base, ...program });
    const { env: environment, args, command } = base;
    const text = JSON.stringify({
      toolboxes: {
        dev: { description: 'd', servers: { api: { command: [command, ...args], environment, ...program } } },
      },
    });
    const config = parseConfig(text, { path: configFile, env: {}, cwd: '/project', home: '/home/me' });
    const theirs = config.toolboxes.get('dev')?.servers.get('api');
    expect(theirs?.fingerprint).toBe(ours.fingerprint);
    expect(theirs?.fingerprint).not.toBe(serverOf({ ...base, envCommand: ['op'] }).fingerprint);
  });

  test('changes with the environment, the defaults and the env file it is made from', () => {
    const { fingerprint } = serverOf(base);
    expect(serverOf(base, { TOKEN: 'canary-secret' }).fingerprint).not.toBe(fingerprint);
    expect(serverOf(base, {}, { defaults: { roots: true } }).fingerprint).not.toBe(fingerprint);
    const directory = mkdtempSync(path.join(tmpdir(), 'workbench-entry-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const envFile = path.join(directory, '.env');
    const remote = { url: 'https://a.test', envFile };
    const fingerprints = ['A=1', 'A=2', 'A=2 # the same'].map((text) => {
      writeFileSync(envFile, text);
      return serverOf(remote).fingerprint;
    });
    expect(new Set(fingerprints).size).toBe(2);
    expect(fingerprints[1]).toBe(fingerprints[2]);
    expect(JSON.stringify(serverOf(base, { TOKEN: 'canary-secret' }).fingerprint)).not.toContain('canary');
  });
});

describe('the key of cached tools', () => {
  test('is the same in another environment, and with other filters and limits', () => {
    const { cacheKey } = serverOf(base);
    expect(serverOf(base, { TOKEN: 'other', ARG: 'other' }).cacheKey).toBe(cacheKey);
    expect(
      serverOf({ ...base, toolFilters: [], deny: ['a'], ask: ['b'], allow: ['c'], disabled: true, callTimeoutMs: 5 })
        .cacheKey,
    ).toBe(cacheKey);
    expect(serverOf({ ...base, args: ['a', 'b'] }).cacheKey).not.toBe(cacheKey);
    expect(serverOf({ ...base, command: 'y' }).cacheKey).not.toBe(cacheKey);
  });

  test('needs no more than the quick reader', () => {
    const entry = quickFile(textOf(base))?.toolboxes.get('dev')?.mcpServers.get('api');
    if (entry === undefined) throw new Error('not read quickly');
    expect(cacheKeyOf(configFile, { toolbox: 'dev', name: 'api' }, entry)).toBe(serverOf(base).cacheKey);
  });
});

test('a configuration names the env files it reads, including missing ones', () => {
  const text = textOf({ ...base, envFile: 'missing.env' });
  const { files } = parseConfig(text, { path: configFile, env: {}, cwd: '/project', home: '/home/me' });
  expect(files).toEqual([path.join('/', 'home', 'me', 'missing.env')]);
});
