// Bundles the source into a few files in one folder, so that `join(import.meta.dirname, 'getting-started.js')` works in each of
// them. The program is CommonJS, which Node.js loads 3 ms faster than an ES module, and each part of it by 1 ms; the library is an
// ES module.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { builtinsRequired, entryOf, missingOfSdk, onlyLoginsOfSdk, partsApart } from './bundle-plugins.mjs';
import { borrowed, parts, programs } from './parts.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));

const shebang = '#!/usr/bin/env node\n';
// CommonJS inside the library (cross-spawn) loads Node's own modules with `require`, which an ES module does not have. This gives
// the same modules, and needs no module of its own to be loaded first.
const requireBanner = 'const require=process.getBuiltinModule;\n';
// Loads a part. Not with threads for files: all of them may wait for a disk that does not respond.
const loadBanner = 'const loadFile=async name=>require(name);\n';

/** What the browser loads for `mcp-workbench page`. */
const pageFolder = 'src/page/browser';
const pageFiles = { js: 'main.ts', css: 'page.css', html: 'page.html', svg: 'icon.svg' };

/**
 * The file names of parts contain a hash of all parts. A workbench whose package is replaced while it runs fails to load the
 * old name and reports it; it never loads a part of another version. This placeholder is replaced once all parts are built
 * and the hash is known.
 */
const hashPlaceholder = '__PARTS__';

const nameOf = (part) => `${part}-${hashPlaceholder}`;

/**
 * The files of the bundle, `[name, text]` each, and esbuild's metafiles. Each program and each part is bundled by itself: code
 * splitting would move what they share into a hundred small files, and every file costs time.
 */
export async function bundle({ minify, version }) {
  const define = {
    __VERSION__: JSON.stringify(version ?? (await packageVersion())),
    __BUILD__: JSON.stringify(hashPlaceholder),
    __PAGE__: JSON.stringify(`page-${hashPlaceholder}`),
  };
  const entries = [...Object.entries(programs), ...Object.keys(parts).map((part) => [nameOf(part), entryOf(part)])];
  const built = await Promise.all([...entries.map((entry) => build(entry, define, minify)), buildPage(minify)]);
  await esbuild.stop();
  const outputs = built.flatMap(({ outputFiles }) => outputFiles).map(({ path, text }) => [basename(path), text]);
  // Named like the others of the page, and as they are written.
  for (const ending of ['html', 'svg'])
    outputs.push([
      `page-${hashPlaceholder}.${ending}`,
      await readFile(join(root, pageFolder, pageFiles[ending]), 'utf8'),
    ]);
  const missing = outputs.flatMap(([, text]) => text.match(new RegExp(`${missingOfSdk}\\(.*?\\)`)) ?? []);
  if (missing.length > 0) throw new Error(`${missing.join(', ')}: add its module to scripts/bundle-plugins.mjs`);
  const hash = hashOf(outputs.filter(([name]) => name.includes(hashPlaceholder)));
  const files = outputs.map(([name, text]) => {
    const finalName = name.replace(hashPlaceholder, hash);
    return [finalName, finish(finalName, text.replaceAll(hashPlaceholder, hash))];
  });
  files.push(['package.json', '{"type":"commonjs"}\n']);
  return { files, metafiles: built.map(({ metafile }) => metafile) };
}

async function packageVersion() {
  return JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).version;
}

function hashOf(outputs) {
  return createHash('sha256').update(JSON.stringify(outputs)).digest('hex').slice(0, 8);
}

function build(entry, define, minify) {
  const isLibrary = entry[0] === 'index';
  return esbuild.build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries([entry]),
    outdir: 'dist',
    write: false,
    bundle: true,
    format: isLibrary ? 'esm' : 'cjs',
    outExtension: { '.js': isLibrary ? '.mjs' : '.js' },
    supported: { 'dynamic-import': true },
    platform: 'node',
    target: 'node20.19',
    mainFields: ['module', 'main'],
    plugins: [
      partsApart({ root, parts, nameOf, borrowed: borrowed[entry[0]] ?? [] }),
      builtinsRequired,
      onlyLoginsOfSdk,
    ],
    define: isLibrary ? define : { ...define, 'import.meta.dirname': '__dirname' },
    legalComments: 'none',
    // V8 keeps a source with any other character in two bytes per character, and takes longer to compile it.
    charset: 'ascii',
    minify,
    metafile: true,
    logLevel: 'warning',
  });
}

/** The script and the style of the page, for browsers of the last two years. */
function buildPage(minify) {
  const name = `page-${hashPlaceholder}`;
  return esbuild.build({
    absWorkingDir: root,
    entryPoints: [
      // Not named like a part: it is not one of the program.
      { in: join(pageFolder, pageFiles.js), out: `${name}.browser` },
      { in: join(pageFolder, pageFiles.css), out: name },
    ],
    outdir: 'dist',
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome120', 'firefox121', 'safari17'],
    legalComments: 'none',
    charset: 'utf8',
    minify,
    metafile: true,
    logLevel: 'warning',
  });
}

function finish(name, text) {
  const code = text.replace(/^(#!.*\n)?("use strict";)?/, '');
  if (!name.endsWith('js') || name.endsWith('.browser.js')) return text;
  if (name.endsWith('.mjs')) {
    // The error text of esbuild's substitute for `require`: only a file that contains the substitute needs the real one.
    return (code.includes('Dynamic require of "') ? requireBanner : '') + code;
  }
  const loading = code.replaceAll(/\bimport\((?="\.\/)/g, 'loadFile(');
  // As strict as the ES modules that it is made of.
  const start = `${name === 'main.js' ? shebang : ''}"use strict";`;
  return start + (loading === code ? '' : loadBanner) + loading;
}
