import { chmod, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

/**
 * Makes `folder` contain exactly `files` (`[path, text]` each). Every file is replaced atomically and other files are removed last, so
 * that a program started meanwhile finds complete files, old or new.
 */
export async function writeFolder(folder, files) {
  for (const [path, text] of files) {
    const target = join(folder, path);
    const draft = `${target}.${process.pid}.tmp`;
    await mkdir(dirname(target), { recursive: true });
    await writeFile(draft, text);
    if (text.startsWith('#!')) await chmod(draft, 0o755);
    await rename(draft, target);
  }
  await removeOthers(folder, new Set(files.map(([path]) => join(path))), folder);
}

async function removeOthers(folder, wanted, top) {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await removeOthers(path, wanted, top);
    else if (!wanted.has(relative(top, path))) await rm(path, { force: true });
  }
  if ((await readdir(folder)).length === 0) await rm(folder, { recursive: true, force: true });
}
