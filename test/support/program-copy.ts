import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Copies the program, for a test that changes a file of it. */
export function copyProgram(dir: string): { readonly main: string; readonly host: string } {
  const folder = join(dir, 'program');
  cpSync(fileURLToPath(new URL('../../dist/', import.meta.url)), folder, {
    recursive: true,
    filter: (name) => !name.includes('types'),
  });
  // Without it Node.js would not take the files for modules.
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  return { main: join(folder, 'main.js'), host: join(folder, 'host.js') };
}
