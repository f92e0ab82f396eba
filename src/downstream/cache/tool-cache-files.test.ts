import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { posixOnly } from '../../../test/support/platform.js';
import { cacheKeyOf } from '../../config/resolve/entry-identity.js';
import { createToolCacheFiles } from './tool-cache-files.js';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'workbench-cache-'));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(directory, { recursive: true, force: true });
});

const known = {
  tools: [{ name: 'echo', inputSchema: { type: 'object' as const } }],
  omissions: { large: 2 },
  instructions: 'Be kind.',
  about: 'Echo. Repeats what it hears',
};
const entry = { command: 'x', args: ['canary-secret'], env: new Map([['KEY', 'canary-key']]) };
const server = (changed: object = {}, name = 'fs', configFile = '/home/me/c.json') => ({
  cacheKey: cacheKeyOf(configFile, { toolbox: 'dev', name }, { ...entry, ...changed }),
});

async function remembered() {
  const cache = createToolCacheFiles(directory);
  cache.put(server(), known);
  await cache.flush();
  const file = readdirSync(directory).find((name) => name !== 'old.json') ?? '';
  return path.join(directory, file);
}

describe('the cache of tools', () => {
  test('is flushed only when what is being written already is written', async () => {
    const cache = createToolCacheFiles(directory);
    cache.put(server(), known);
    void cache.flush();
    await cache.flush();
    expect(readdirSync(directory)).toEqual([expect.stringMatching(/\.json$/)]);
  });

  test('is there for the next run, for the user alone, without a configured value in it', async () => {
    posixOnly('file modes');
    const file = await remembered();
    expect(await createToolCacheFiles(directory).get(server())).toEqual(known);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(`${file}${readFileSync(file, 'utf8')}`).not.toContain('canary');
  });

  test.each([
    ['another argument', server({ args: ['other'] })],
    ['another variable', server({ env: new Map([['KEY', 'other']]) })],
    ['a url', server({ command: undefined, url: 'https://example.com' })],
    ['another name', server({}, 'git')],
    ['another configuration file', server({}, 'fs', '/home/me/other.json')],
  ])('has no entry for a server with %s', async (_, other) => {
    await remembered();
    expect(await createToolCacheFiles(directory).get(other)).toBeUndefined();
  });

  test('forgets after seven days', async () => {
    await remembered();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 7 * 24 * 3_600_000 + 1_000 });
    expect(await createToolCacheFiles(directory).get(server())).toBeUndefined();
  });

  test.each([['{'], ['[]'], ['{"at":1}'], ['{"at":"x"}'], [`{"at":${Date.now()},"tools":[]}`], ['']])(
    'takes a file with %j in it as none',
    async (content) => {
      writeFileSync(await remembered(), content);
      expect(await createToolCacheFiles(directory).get(server())).toBeUndefined();
    },
  );

  test('deletes files that are too old to be believed, and no others', async () => {
    const old = path.join(directory, 'old.json');
    writeFileSync(old, '{}');
    utimesSync(old, new Date(0), new Date(0));
    const file = await remembered();
    expect(readdirSync(directory)).toEqual([path.basename(file)]);
  });

  test('admits tools as if the server had just listed them', async () => {
    const file = await remembered();
    const head = {
      at: Date.now(),
      omissions: { name: 2, invented: 9 },
      instructions: 'Be\u200B kind.',
      about: 'E\u200Bcho',
    };
    const hidden = { ...known.tools[0], name: 'a\u200Bb' };
    const deep = `{"name":"deep","inputSchema":{"a":${'['.repeat(100)}${']'.repeat(100)}}}`;
    const lines = [head, { name: 1 }, known.tools[0], hidden].map((line) => JSON.stringify(line));
    writeFileSync(file, [...lines, deep].join('\n'));
    expect(await createToolCacheFiles(directory).get(server())).toEqual({
      tools: known.tools,
      omissions: { malformed: 1, name: 3, large: 1 },
      instructions: 'Be kind.',
      about: 'Echo',
    });
  });

  test('reads files of versions that did not store what a server says about itself', async () => {
    const file = await remembered();
    const [head = '', ...tools] = readFileSync(file, 'utf8').split('\n');
    const { about: _, ...older } = JSON.parse(head);
    writeFileSync(file, [JSON.stringify(older), ...tools].join('\n'));
    expect(await createToolCacheFiles(directory).get(server())).toEqual({ ...known, about: undefined });
  });

  test('that cannot be written does no harm', async () => {
    posixOnly('file modes');
    const cache = createToolCacheFiles('/dev/null/nowhere');
    cache.put(server(), known);
    expect(await cache.get(server())).toBeUndefined();
  });
});
