// Declarations for users of the library. They must be self-contained: a user need not have zod, the SDK or Node's types.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** `index.d.ts` and what it imports, `[path, text]` each. Throws on a reference to anything outside the package. */
export async function declarations(root) {
  const folder = await mkdtemp(join(tmpdir(), 'workbench-types-'));
  try {
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    await run(process.execPath, [tsc, '--project', join(root, 'tsconfig.build.json'), '--outDir', folder]);
    return await reachable(folder);
  } catch (error) {
    if (error.stdout) throw new Error(`tsc could not write the declarations:\n${error.stdout}`, { cause: error });
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function reachable(folder) {
  const files = new Map([['index.d.ts', '']]);
  const foreign = [];
  // The map grows while it is walked, and every file is visited once.
  for (const path of files.keys()) {
    const text = await readFile(join(folder, path), 'utf8');
    files.set(path, text);
    for (const specifier of references(text)) {
      const target = posix.join(posix.dirname(path), specifier.replace(/\.[jt]s$/, '.d.ts'));
      if (!specifier.startsWith('.')) foreign.push(`  ${path} refers to '${specifier}'`);
      else if (!files.has(target)) files.set(target, '');
    }
  }
  if (foreign.length === 0) return [...files];
  throw new Error(`The declarations of the public API must not need other packages:\n${foreign.join('\n')}`);
}

function references(text) {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '');
  const patterns = [
    /\bfrom\s*(['"])(.+?)\1/g,
    /\bimport\s*\(?\s*(['"])(.+?)\1/g,
    /^\/\/\/\s*<reference\s+\w+=(['"])(.+?)\1/gm,
  ];
  return patterns.flatMap((pattern) => [...code.matchAll(pattern)].map((match) => match[2]));
}
