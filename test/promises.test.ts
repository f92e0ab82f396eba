import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { errorCodes } from '../src/contract/error-codes.js';
import { facts } from './support/forwarding.js';

// Compares test/promises.md with the documents, and with the titles of the tests.
const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const listed = readList(read('test/promises.md'));
const titles = new Map<string, ReadonlySet<string>>();

const rows = tableRows();

test('every promise of the documents is in test/promises.md, and nothing else', () => {
  const codes = Object.keys(errorCodes).map((code) => `\`${code}\``);
  const promised = [...rows.map(({ promise }) => promise), ...Object.keys(facts), ...codes];
  expect(listed.map(({ promise }) => promise).toSorted()).toEqual(promised.toSorted());
});

test('the documents link to test files with a test of the promise in test/promises.md', () => {
  const shown = new Map(listed.map(({ promise, shownBy }) => [promise, shownBy.join('\n')]));
  const others = rows.flatMap(({ promise, files }) =>
    files.filter((file) => !shown.get(promise)?.includes(`${file}: `)).map((file) => `${promise}: ${file}`),
  );
  expect(others).toEqual([]);
});

test('every promise is shown by a test that exists under its title, or by an npm script', () => {
  const untested = listed.filter(({ shownBy }) => shownBy.length === 0).map(({ promise }) => promise);
  expect(untested).toEqual([]);
  const missing = listed.flatMap(({ promise, shownBy }) =>
    shownBy.filter((proof) => !exists(proof)).map((proof) => `${promise}: ${proof}`),
  );
  expect(missing).toEqual([]);
});

/** The rows of every table whose last column is `shown by`. */
function tableRows(): { promise: string; files: string[] }[] {
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name));
  return ['SECURITY.md', ...pages].flatMap((page) => {
    const tables = read(page).matchAll(/^\|(.*)\| *shown by *\|\n\|[-| ]+\n((?:\|.*\n)+)/gm);
    return Array.from(tables, ([, head = '', body = '']) => {
      const isNumbered = head.trim().startsWith('#');
      return body
        .trim()
        .split('\n')
        .map((row) => ({
          promise: plain(row.split('|')[isNumbered ? 2 : 1] ?? ''),
          files: Array.from(row.matchAll(/\]\((?:\.\.\/)*([^)]+\.test\.ts)\)/g), ([, file = '']) => file),
        }));
    }).flat();
  });
}

/** A cell without emphasis and links. */
function plain(cell: string): string {
  return cell
    .replaceAll('**', '')
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .trim();
}

interface Listed {
  readonly promise: string;
  readonly shownBy: readonly string[];
}

function readList(text: string): Listed[] {
  return Array.from(text.matchAll(/^- (.+)\n((?: {2}- .+\n)*)/gm), ([, promise = '', proofs = '']) => ({
    promise,
    shownBy: Array.from(proofs.matchAll(/^ {2}- (.+)$/gm), ([, proof = '']) => proof),
  }));
}

function exists(proof: string): boolean {
  const [, script] = /^npm run (\S+)$/.exec(proof) ?? [];
  if (script !== undefined) return Object.hasOwn(JSON.parse(read('package.json')).scripts, script);
  const [, path = '', title = ''] = /^(\S+): (.+)$/.exec(proof) ?? [];
  return titlesIn(path).has(title);
}

/** Titles of tests and of groups: strings that a call has as its first argument, before a function or options. */
function titlesIn(path: string): ReadonlySet<string> {
  const known = titles.get(path);
  if (known !== undefined) return known;
  const calls = readTest(path).matchAll(/\(\s*(['"`])((?:\\.|(?!\1)[^\n\\])*)\1,(?=\s*(?:\{|\(|async))/g);
  const found = new Set(Array.from(calls, ([, , title = '']) => title.replaceAll(/\\(.)/g, '$1')));
  titles.set(path, found);
  return found;
}

function readTest(path: string): string {
  if (!/^(?:src|test)\/.*\.test\.ts$/.test(path)) throw new Error(`not a test file: '${path}' in test/promises.md`);
  return read(path);
}
