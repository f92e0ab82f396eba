import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtAs } from './hosts.js';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));

/** Copies the program, for a test that changes a file of it. With another `build` it is another version for hosts and sessions. */
export function copyProgram(dir: string, build = builtAs()): { readonly main: string; readonly host: string } {
  const folder = join(dir, 'program');
  mkdirSync(folder);
  for (const name of readdirSync(dist).filter((file) => file.endsWith('.js'))) {
    const text = readFileSync(join(dist, name), 'utf8').replaceAll(builtAs(), build);
    writeFileSync(join(folder, name.replace(builtAs(), build)), text);
  }
  // Without it Node.js might take the files for ES modules.
  writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}');
  return { main: join(folder, 'main.js'), host: join(folder, 'host.js') };
}
