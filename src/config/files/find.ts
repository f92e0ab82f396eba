import path from 'node:path';
import { configDirectoryOf } from '../../platform/directories.js';

export interface FindOptions {
  /** The value of `--config`. */
  readonly path?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly platform: string;
  readonly home: string;
}

export interface Candidate {
  readonly path: string;
  /** The option or variable that names it. A named file must exist. */
  readonly namedBy?: string;
  /** It lies in the working directory, which may be anyone's repository: it needs the user's trust. */
  readonly needsTrust?: true;
  /** It is named by a relative path: which file that is depends on the working directory. */
  readonly isRelative?: true;
}

/** Where to look for the configuration; the first file that exists, and is trusted if it needs to be, is used. */
export function configCandidates(options: FindOptions): Candidate[] {
  const { env, cwd, platform, home } = options;
  const paths = platform === 'win32' ? path.win32 : path.posix;
  const named = (written: string, namedBy: string): Candidate[] => {
    const file = expandHome(written, home);
    return [{ path: paths.resolve(cwd, file), namedBy, ...(!paths.isAbsolute(file) && { isRelative: true }) }];
  };
  if (options.path !== undefined) return named(options.path, '--config');
  const fromEnvironment = env.WORKBENCH_CONFIG;
  if (fromEnvironment) return named(fromEnvironment, 'WORKBENCH_CONFIG');
  const local = paths.resolve(cwd, fileName);
  const own = paths.join(configDirectoryOf(options), fileName);
  return local === own ? [{ path: own }] : [{ path: local, needsTrust: true }, { path: own }];
}

export const fileName = 'workbench-config.json';

/** Clients start us without a shell, so nothing else expands a leading `~`. */
export function expandHome(file: string, home: string): string {
  return /^~(?:[/\\]|$)/.test(file) ? home + file.slice(1) : file;
}
