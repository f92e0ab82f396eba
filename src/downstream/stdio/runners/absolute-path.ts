import path from 'node:path';

/**
 * The variables without the directories of PATH that depend on the working directory: an empty one is that itself. Where it is not
 * trusted, programs such as `node` must not come from there.
 */
export function withAbsolutePath(env: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const changed = new Map(env);
  for (const [name, value] of env) {
    if (name.toUpperCase() !== 'PATH') continue;
    const directories = value.split(path.delimiter).filter((one) => path.isAbsolute(one));
    // An empty PATH would be the working directory.
    if (directories.length === 0) changed.delete(name);
    else changed.set(name, directories.join(path.delimiter));
  }
  return changed;
}
