import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The used exports of scripts/bundle.mjs, which is plain JavaScript. */
interface Bundler {
  bundle(options: { minify: boolean }): Promise<{ metafiles: readonly Metafile[] }>;
}

interface Metafile {
  readonly outputs: Readonly<Record<string, { readonly inputs: Readonly<Record<string, unknown>> }>>;
}

/** Separate programs; everything else in dist/ is loaded into one process. */
const programs = new Set(['index.js', 'getting-started.js']);

/** Our source files, by bundle. */
let filesOf: ReadonlyMap<string, readonly string[]>;

beforeAll(async () => {
  const bundler: Bundler = await import(pathToFileURL(join(root, 'scripts', 'bundle.mjs')).href);
  const { metafiles } = await bundler.bundle({ minify: true });
  const outputs = metafiles.flatMap(({ outputs: made }) => Object.entries(made));
  filesOf = new Map(
    outputs
      .map(
        ([path, { inputs }]) =>
          [basename(path), Object.keys(inputs).filter((file) => file.startsWith('src/'))] as const,
      )
      .filter(([name]) => !programs.has(name)),
  );
});

const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** Classes in several bundles: an instance of one is not an instance of the other. */
function repeatedClasses(): string[] {
  const files = [...filesOf.values()].flat();
  const repeated = new Set(files.filter((file, index) => files.indexOf(file) !== index));
  return [...repeated].flatMap((file) => Array.from(read(file).matchAll(/\bclass (\w+)/g), ([, name = '']) => name));
}

test('the command has several bundles with code in common', () => {
  expect(filesOf.size).toBeGreaterThan(3);
  expect(repeatedClasses()).toContain('WorkbenchError');
});

test('every part can be loaded', async () => {
  const parts = readdirSync(join(root, 'dist')).filter((name) => /-[0-9a-f]{8}\.js$/.test(name));
  expect(parts.length).toBeGreaterThan(3);
  for (const part of parts) await import(pathToFileURL(join(root, 'dist', part)).href);
});

test('no instanceof uses a class that is in several bundles', () => {
  const classes = repeatedClasses().join('|');
  const wrong = [...new Set([...filesOf.values()].flat())].flatMap((file) =>
    Array.from(read(file).matchAll(new RegExp(`instanceof (${classes})\\b`, 'g')), ([what]) => `${file}: ${what}`),
  );
  expect(wrong).toEqual([]);
});

test('a host loads every part that a session may need, because the package may be updated meanwhile', () => {
  // What the front, commands and other programs load; Windows has no host.
  const notOfHost =
    /^src\/(?:cli|clients|inspect|page|serve|session\/configuration|setup|main|getting-started)\b|windows/;
  const importsOf = (file: string) =>
    Array.from(read(file).matchAll(/\bimport\('(\.[^']+)\.js'\)/g), ([, path = '']) =>
      posix.join(posix.dirname(file), `${path}.ts`),
    );
  const sources = [...new Set([...filesOf.values()].flat())].filter((file) => !notOfHost.test(file));
  const needed = sources.flatMap(importsOf).filter((file) => !notOfHost.test(file));
  expect(needed).toContain('src/workbench/opening/open-answer.ts');
  expect(importsOf('src/serve/host/process/parts.ts')).toEqual(expect.arrayContaining(needed));
});
