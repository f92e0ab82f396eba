import { lstatSync, readlinkSync, statfsSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';

/** The directories in which a change can change what a path leads to, and the names in them that matter. */
export type Directories = Map<string, Set<string>>;

/** More links than any system follows. */
const maxLinks = 40;

/**
 * For each path: the directory of every link on the way, and that of the file it leads to. If a directory does not exist,
 * the nearest one that does.
 */
export function watchedDirectories(paths: readonly string[]): Directories {
  const directories: Directories = new Map();
  const add = (directory: string, name: string) =>
    void directories.set(directory, (directories.get(directory) ?? new Set()).add(name));
  for (const file of paths) follow(path.resolve(file), add);
  return directories;
}

function follow(file: string, add: (directory: string, name: string) => void): void {
  let rest = partsOf(file);
  let at = path.parse(file).root;
  for (let links = 0; rest.length > 0; ) {
    const [name = '', ...following] = rest;
    const here = path.join(at, name);
    const kind = kindOf(here);
    // Without a directory of this name nothing below it can be watched.
    if (kind !== 'directory' || following.length === 0) add(at, name);
    if (kind === 'other' || kind === 'missing') return;
    rest = following;
    if (kind === 'directory') {
      at = here;
      continue;
    }
    if (++links > maxLinks) return;
    const target = path.resolve(at, kind.link);
    rest = [...partsOf(target), ...following];
    at = path.parse(target).root;
  }
}

function partsOf(file: string): string[] {
  return file
    .slice(path.parse(file).root.length)
    .split(path.sep)
    .filter((part) => part !== '');
}

function kindOf(file: string): 'directory' | 'other' | 'missing' | { readonly link: string } {
  try {
    const stats = lstatSync(file);
    if (stats.isSymbolicLink()) return { link: readlinkSync(file) };
    return stats.isDirectory() ? 'directory' : 'other';
  } catch {
    return 'missing';
  }
}

/**
 * Which file a path leads to and what state it is in, without reading it. Asynchronous: it is also asked for on file systems
 * that may not respond.
 */
export async function stateOf(file: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs, mode } = await stat(file, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs, mode].join(' ');
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  }
}

/** Which directory is at a path, whatever is in it. */
export function identityOf(directory: string): string {
  const found = statSync(directory, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? '' : `${found.dev} ${found.ino}`;
}

/** File systems of Linux whose files are changed by other computers, or by programs outside, without a notification. */
const silentTypes: ReadonlySet<number> = new Set([
  0x6969, // nfs
  0x517b, // smb
  0xff534d42, // cifs
  0xfe534d42, // smb2
  0x01021997, // 9p: the drives of Windows in WSL
  0x65735546, // fuse
  0x786f4256, // vboxsf
  0x6a656a63, // virtiofs
  0x00c36400, // ceph
  0x5346414f, // afs
]);

/** Whether changes in a directory may come without a notification. */
export function isSilent(directory: string): boolean {
  if (process.platform === 'win32') return directory.startsWith('\\\\');
  if (process.platform !== 'linux') return false;
  try {
    return silentTypes.has(statfsSync(directory).type >>> 0);
  } catch {
    return true;
  }
}
