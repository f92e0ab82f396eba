import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Replacement } from './local-packages.js';

/** The file or directory that `python -m MODULE` would run from its working directory in place of an installed module. */
export async function localModule(directory: string, module: string): Promise<Replacement | undefined> {
  const [top = ''] = module.split('.');
  const entries = await readdir(directory).catch(() => []);
  // `top.py`, `top/`, and compiled modules such as `top.cpython-311-x86_64-linux-gnu.so`.
  const found = entries.find(
    (entry) => entry === top || (entry.startsWith(`${top}.`) && /\.(?:py[cdwz]?|so)$/i.test(entry)),
  );
  return found === undefined ? undefined : { what: `a module '${top}'`, file: path.join(directory, found) };
}
