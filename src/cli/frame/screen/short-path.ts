import path from 'node:path';

/** A path as people write it: `~` for their home directory. */
export function shortPath(file: string, home: string): string {
  const within = home === '' ? '' : path.relative(home, file);
  const isInside = within !== '' && !within.startsWith('..') && !path.isAbsolute(within);
  return isInside ? path.join('~', within) : file;
}
