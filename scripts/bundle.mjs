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

/** The files of the bundle, `[name, text]` each, and esbuild's account of what went into them. */
export async function bundle({ minify }) {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const { outputFiles, metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: { main: 'src/main.ts', index: 'src/index.ts', 'getting-started': 'src/getting-started/main.ts' },
    outdir: 'dist',
    write: false,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    mainFields: ['module', 'main'],
    alias: { '@modelcontextprotocol/server/_shims': shims, '@modelcontextprotocol/client/_shims': shims },
    define: { __VERSION__: JSON.stringify(version) },
    chunkNames: '[name]-[hash]',
    legalComments: 'none',
    charset: 'utf8',
    minify,
    metafile: true,
    logLevel: 'warning',
  });
  await esbuild.stop();
  return { files: outputFiles.map(({ path, text }) => [basename(path), finish(basename(path), text)]), metafile };
}

function finish(name, text) {
  const code = text.replace(/^#!.*\n/, '');
  // The words of esbuild's own stand-in for `require`: only the file that holds it needs the real one.
  const banner = code.includes('Dynamic require of "') ? requireBanner : '';
  return (name === 'main.js' ? shebang : '') + banner + code;
}
