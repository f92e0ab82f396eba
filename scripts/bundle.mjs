// Source files become a few plain ES modules, all in one folder, so that `new URL('./getting-started.js', import.meta.url)` holds in each of them.
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

export const root = fileURLToPath(new URL('..', import.meta.url));

const shims = join(root, 'scripts', 'sdk-shims.mjs');
const shebang = '#!/usr/bin/env node\n';
// CommonJS inside the bundle (cross-spawn) asks for node's own modules with `require`, which an ES module does not have.
const requireBanner = "import{createRequire as r}from'node:module';const require=r(import.meta.url);\n";

const entryPoints = {
  main: 'src/main.ts',
  index: 'src/index.ts',
  'getting-started': 'src/getting-started/main.ts',
  // Loaded by main when it is needed. By itself, because it shares a library with main that is much smaller without it.
  'sdk-server': 'src/server/sdk-server.ts',
};

/**
 * The files of the bundle, `[name, text]` each, and esbuild's accounts of what went into them. Each program is bundled by
 * itself: what they would share would be cut into many small files, and every one of them costs time at the start.
 */
export async function bundle({ minify }) {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const built = await Promise.all(
    Object.entries(entryPoints).map((entry) => build(Object.fromEntries([entry]), version, minify)),
  );
  await esbuild.stop();
  const files = new Map(
    built.flatMap(({ outputFiles }) =>
      outputFiles.map(({ path, text }) => [basename(path), finish(basename(path), text)]),
    ),
  );
  return { files: [...files], metafiles: built.map(({ metafile }) => metafile) };
}

function build(entryPoint, version, minify) {
  return esbuild.build({
    absWorkingDir: root,
    entryPoints: entryPoint,
    outdir: 'dist',
    write: false,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    mainFields: ['module', 'main'],
    external: ['./sdk-server.js'],
    alias: { '@modelcontextprotocol/server/_shims': shims, '@modelcontextprotocol/client/_shims': shims },
    define: { __VERSION__: JSON.stringify(version) },
    chunkNames: '[name]-[hash]',
    legalComments: 'none',
    charset: 'utf8',
    minify,
    metafile: true,
    logLevel: 'warning',
  });
}

function finish(name, text) {
  const code = text.replace(/^#!.*\n/, '');
  // The words of esbuild's own stand-in for `require`: only the file that holds it needs the real one.
  const banner = code.includes('Dynamic require of "') ? requireBanner : '';
  return (name === 'main.js' ? shebang : '') + banner + code;
}
