import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { factualEntries, factualEnvironment } from '../../../test/corpus/entries.js';
import { type CorpusSecret, corpusSecrets } from '../../../test/corpus/secrets.js';
import { createWatch } from '../../../test/support/canaries.js';
import type { ServerConfig } from '../../config/config.js';
import { parseConfig } from '../../config/read/parse.js';
import { createMask, type Mask } from './mask.js';
import { secretValues } from './secret-values.js';

function maskOf(entry: object, env: Record<string, string> = {}): Mask {
  const text = JSON.stringify({ toolboxes: { dev: { description: 'd', mcpServers: { api: entry } } } });
  const { toolboxes } = parseConfig(text, { path: '/c.json', env, cwd: '/project', home: '/home/a' });
  return createMask(secretValues(toolboxes.get('dev')?.servers.get('api') as ServerConfig));
}

const messages = readFileSync(new URL('../../../test/corpus/error-messages.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

test('the corpus has 200 messages, and 100 secrets of 25 kinds', () => {
  expect(messages.length).toBeGreaterThanOrEqual(200);
  expect(new Set(corpusSecrets.map(({ value }) => value)).size).toBe(100);
  expect(new Set(corpusSecrets.map(({ kind }) => kind)).size).toBe(25);
});

test.each(factualEntries)('no word of any message is masked for an entry with $about', (facts) => {
  const mask = maskOf(facts.entry, factualEnvironment);
  const written = messages.map((message) =>
    message.replaceAll(/\{(file|dir|name|words)\}/g, (_, key: 'file' | 'dir' | 'name' | 'words') => facts[key]),
  );
  expect(written.map((message) => mask.text(message))).toEqual(written);
});

const escaped = (value: string) => value.replaceAll('${', () => '$${');
const shellQuoted = (value: string) => `"${value}"`;

/** Where a secret can stand in an entry: by its form alone, by its letters and digits, or under the name of a secret. */
const places: readonly [string, CorpusSecret['by'], (secret: CorpusSecret) => object][] = [
  ['command', 'form', ({ value }) => ({ command: `run-${escaped(value)}` })],
  ['command line', 'form', ({ value }) => ({ command: `/bin/run --with ${escaped(value)}` })],
  ['directory', 'form', ({ value }) => ({ command: 'x', cwd: `/srv/${escaped(value)}/data` })],
  ['path in an argument', 'form', ({ value }) => ({ command: 'x', args: [`/srv/My Data/${escaped(value)}`] })],
  ['path in a variable', 'form', ({ value }) => ({ command: 'x', env: { DATA: `/srv/${escaped(value)}/data` } })],
  ['sentence in a variable', 'form', ({ value }) => ({ command: 'x', env: { TITLE: `it is ${escaped(value)} here` } })],
  ['variable', 'random', ({ value }) => ({ command: 'x', env: { NAME: escaped(value) } })],
  ['reference in an argument', 'random', () => ({ command: 'x', args: ['${PLAIN}'] })],
  ['default of a reference', 'random', ({ value }) => ({ command: 'x', args: [`\${UNSET:-${value}}`] })],
  ['argument', 'random', ({ value }) => ({ command: 'x', args: [escaped(value)] })],
  ['value of a flag', 'random', ({ value }) => ({ command: 'x', args: [`--value=${escaped(value)}`] })],
  ['script', 'random', ({ value }) => ({ command: 'sh', args: ['-c', `cd /x && run ${shellQuoted(escaped(value))}`] })],
  ['header', 'random', ({ value }) => ({ url: 'https://a.test/', headers: { 'X-Own': oneLine(value) } })],
  ['query', 'random', ({ value }) => ({ url: `https://a.test/mcp?v=${encodeURIComponent(value)}` })],
  ['user', 'random', ({ value }) => ({ url: `https://${encodeURIComponent(value)}@a.test/mcp` })],
  ['fragment', 'random', ({ value }) => ({ url: `https://a.test/mcp#${encodeURIComponent(value)}` })],
  ['secret variable', 'name', ({ value }) => ({ command: 'x', env: { API_TOKEN: escaped(value) } })],
  ['reference to a secret variable', 'name', () => ({ command: 'x', args: ['--to', '${MY_PASSWORD}'] })],
  ['flag of a secret', 'name', ({ value }) => ({ command: 'x', args: ['--api-key', escaped(value)] })],
  ['flag of a secret with =', 'name', ({ value }) => ({ command: 'x', args: [`--password=${escaped(value)}`] })],
  [
    'variable of a container',
    'name',
    ({ value }) => ({ command: 'docker', args: ['-e', `DB_PASSWORD=${escaped(value)}`] }),
  ],
  [
    'script with a password',
    'name',
    ({ value }) => ({ command: 'sh', args: ['-c', `PASSWORD=${shellQuoted(escaped(value))} run`] }),
  ],
  ['secret header', 'name', ({ value }) => ({ url: 'https://a.test/', headers: { Authorization: oneLine(value) } })],
  [
    'header in an argument',
    'name',
    ({ value }) => ({ command: 'x', args: ['--header', `X-Api-Key: ${escaped(value)}`] }),
  ],
  ['secret in the query', 'name', ({ value }) => ({ url: `https://a.test/mcp?api_key=${encodeURIComponent(value)}` })],
  ['password of a URL', 'name', ({ value }) => ({ url: `https://me:${encodeURIComponent(value)}@a.test/mcp` })],
];

const oneLine = (value: string) => escaped(value).replaceAll('\n', ' ');
const strength = { name: 0, random: 1, form: 2 } as const;

/** A message about a secret, in the forms in which programs write it. */
const saidOf = (value: string) =>
  [value, JSON.stringify(value), encodeURIComponent(value), Buffer.from(value).toString('base64')].flatMap((form) => [
    `401 Unauthorized: ${form}`,
    `at key '${form}' in /srv/x`,
  ]);

describe('a secret', () => {
  test.each(places)('that is a %s is in no message', (_, by, entryOf) => {
    const placed = corpusSecrets.filter((secret) => strength[secret.by] >= strength[by]);
    expect(placed.length).toBeGreaterThanOrEqual(by === 'form' ? 72 : by === 'random' ? 92 : 100);
    const shown = placed.filter((secret) => {
      const { text } = maskOf(entryOf(secret), { PLAIN: secret.value, MY_PASSWORD: secret.value });
      const seenIn = createWatch([
        { ...secret, name: secret.kind, cores: [secret.core, encodeURIComponent(secret.core)] },
      ]);
      return [secret.value, oneLine(secret.value)].flatMap(saidOf).some((said) => seenIn(text(said)).length > 0);
    });
    expect(shown.map(({ kind, value }) => [kind, value])).toEqual([]);
  });
});
