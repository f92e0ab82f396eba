import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const source = fileURLToPath(new URL('../../src', import.meta.url));

/** A small program that imports from `src/`, as the text of one module: for tests that need a whole process. */
export async function bundleProgram(contents: string): Promise<string> {
  const stdin = { contents, resolveDir: source, loader: 'js' } as const;
  const define = { __VERSION__: '"0"', __BUILD__: '"tests"' };
  const { outputFiles } = await build({ stdin, define, bundle: true, write: false, platform: 'node', format: 'esm' });
  return outputFiles[0]?.text ?? '';
}
