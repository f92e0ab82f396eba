import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';

const ownRoot = fileURLToPath(new URL('../..', import.meta.url));
const parts = `
  export * from './src/workbench/search/tool-search.js';
  export * from './src/workbench/opening/open-answer.js';
`;

/** The measured code of the workbench, bundled from the source: from this checkout or another one. */
export async function loadWorkbench(root = ownRoot) {
  const folder = await mkdtemp(join(tmpdir(), 'bench-discovery-'));
  const outfile = join(folder, 'parts.mjs');
  try {
    await esbuild.build({
      stdin: { contents: parts, resolveDir: resolve(root) },
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      logLevel: 'warning',
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    await esbuild.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
