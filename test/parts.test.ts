import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, posix } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The used exports of scripts/bundle.mjs and scripts/parts.mjs, which are plain JavaScript. */
interface Bundler {
  bundle(options: { minify: boolean }): Promise<{ metafiles: readonly Metafile[] }>;
}

interface Metafile {
  readonly outputs: Readonly<Record<string, Output>>;
}

interface Output {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly imports: readonly { readonly path: string; readonly kind: string }[];
}

/** Modules by part. */
type Parts = Readonly<Record<string, readonly string[]>>;

/** Separate programs; everything else in dist/ is loaded into one process. */
const programs = new Set(['index', 'getting-started']);

let parts: Parts;
/** By name, without the hash of all parts. */
let outputs: ReadonlyMap<string, Output>;
/** Our source files, by bundle. */
let filesOf: ReadonlyMap<string, readonly string[]>;

const nameOf = (path: string) => basename(path).replace(/(-__PARTS__)?\.m?js$/, '');

beforeAll(async () => {
  const load = (name: string) => import(pathToFileURL(join(root, 'scripts', name)).href);
  const bundler: Bundler = await load('bundle.mjs');
  ({ parts } = await load('parts.mjs'));
  const { metafiles } = await bundler.bundle({ minify: true });
  const made = metafiles.flatMap((metafile) => Object.entries(metafile.outputs));
  outputs = new Map(made.map(([path, output]) => [nameOf(path), output]));
  filesOf = new Map(
    [...outputs]
      .filter(([name]) => !programs.has(name))
      .map(([name, { inputs }]) => [name, Object.keys(inputs).filter((file) => file.startsWith('src/'))]),
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

test('every part can be loaded, and has all exports of its modules: no two of them have the same name', () => {
  const require = createRequire(import.meta.url);
  const built = readdirSync(join(root, 'dist')).filter((name) => /-[0-9a-f]{8}\.js$/.test(name));
  expect(built).toHaveLength(Object.keys(parts).length);
  for (const name of built) {
    const part = name.replace(/-[0-9a-f]{8}\.js$/, '');
    const names = parts[part]?.flatMap((file) => exportsOf(read(file)));
    expect(Object.keys(require(join(root, 'dist', name))).toSorted(), part).toEqual(names?.toSorted());
  }
});

test('the library has no copy of the engine, and its errors are those of the engine', () => {
  const { imports = [], inputs = {} } = outputs.get('index') ?? {};
  expect(imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => nameOf(path))).toContain('engine');
  for (const file of ['src/compose.ts', 'src/contract/errors.ts']) expect(inputs).not.toHaveProperty([file]);
});

test('the part of HTTP is our own code; only that of logins has something of the SDK', () => {
  const packagesIn = (part: string) =>
    Object.keys(outputs.get(part)?.inputs ?? {}).filter((file) => file.includes('node_modules/'));
  expect(packagesIn('http')).toEqual([]);
  const withSdk = [...outputs.keys()].filter((part) =>
    packagesIn(part).some((file) => file.includes('@modelcontextprotocol/')),
  );
  expect(withSdk).toEqual(['oauth']);
});

test('no transport of the SDK is in the program', () => {
  const mark = /\w+ClientTransport already started/;
  const sdk = read('node_modules/@modelcontextprotocol/client/dist/index.mjs');
  expect(sdk).toMatch(mark);
  const built = readdirSync(join(root, 'dist')).filter((name) => /\.m?js$/.test(name));
  expect(built.filter((name) => mark.test(read(join('dist', name))))).toEqual([]);
});

test('no instanceof uses a class that is in several bundles', () => {
  const classes = repeatedClasses().join('|');
  const wrong = [...new Set([...filesOf.values()].flat())].flatMap((file) =>
    Array.from(read(file).matchAll(new RegExp(`instanceof (${classes})\\b`, 'g')), ([what]) => `${file}: ${what}`),
  );
  expect(wrong).toEqual([]);
});

test('a host loads every part that a session may need, because the package may be updated while it runs', () => {
  const list = 'src/serve/host/process/parts.ts';
  const modules = Array.from(read(list).matchAll(/\bimport\('(\.[^']+)\.js'\)/g), ([, path = '']) =>
    posix.join(posix.dirname(list), `${path}.ts`),
  );
  const partOf = (module: string) => Object.keys(parts).find((part) => parts[part]?.includes(module)) ?? module;
  const needed = reachableFrom('host');
  expect(needed).toContain('engine');
  expect(modules.map(partOf).toSorted()).toEqual(needed);
});

/** The parts that a program may load, and the parts of these. */
function reachableFrom(program: string): string[] {
  const found = new Set<string>();
  const visit = (name: string) => {
    for (const { path, kind } of outputs.get(name)?.imports ?? []) {
      const part = nameOf(path);
      if (kind !== 'dynamic-import' || !Object.hasOwn(parts, part) || found.has(part)) continue;
      found.add(part);
      visit(part);
    }
  };
  visit(program);
  return [...found].toSorted();
}

/** The values that a module exports. */
function exportsOf(text: string): string[] {
  const declared = Array.from(
    text.matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm),
    ([, name = '']) => name,
  );
  const listed = Array.from(text.matchAll(/^export \{([^}]*)\}/gm), ([, names = '']) => names.split(','))
    .flat()
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => name.replace(/^.* as /, ''));
  return [...declared, ...listed];
}
