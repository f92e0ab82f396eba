import { existsSync } from 'node:fs';
import path from 'node:path';
import type { StdioTarget } from '../../../config/config.js';
import { createDirectoryTrust, isOnlyOurs } from '../../../config/trust/directory-trust.js';
import { realPathOf } from '../../../config/trust/trust-store.js';
import type { Computer } from '../../../platform/computer.js';

/** Where the servers of a configuration start. */
export interface RunnerPlace {
  readonly computer: Computer;
  /** The variables that every process gets; those of the entry are added. */
  readonly environment: ReadonlyMap<string, string>;
  /** Undefined: nothing is kept. */
  readonly cacheDirectory: string | undefined;
  /**
   * The configuration in use, unless it was named by a relative path. It is the user's own, was named by the user, or is trusted;
   * so is its directory, if nobody else can write to it.
   */
  readonly configFile: string | undefined;
}

type Place = Pick<RunnerPlace, 'computer' | 'configFile'>;

/** The real path of the directory that a server runs in: a process sees that, and what is above it. */
export function directoryOf({ cwd }: Pick<StdioTarget, 'cwd'>, { computer }: Pick<RunnerPlace, 'computer'>): string {
  return realPathOf(path.resolve(computer.cwd, cwd ?? '.'));
}

/** Whether an entry may have a package runner, or import modules from its directory: rather too often than too rarely. */
export function mayUseDirectory({ command, args }: Pick<StdioTarget, 'command' | 'args'>): boolean {
  return /\b(?:npx|bunx|pnp?x|npm|bun|pnpm|yarn|py|uvx?|pipx|deno|dnx|dotnet)/i.test([command, ...args].join(' '));
}

/** Whether a package runner may use what a directory contains. */
export function createRunnerTrust({ computer, configFile }: Place): (directory: string) => boolean {
  const isTrusted = createDirectoryTrust(computer);
  const named = configFile === undefined ? undefined : path.dirname(configFile);
  const own = named !== undefined && isOnlyOurs(named) ? realPathOf(named) : undefined;
  return (directory) => directory === own || isTrusted(directory);
}

/** The directory of a server, if the user trusts it and the project that npm would use there. */
export function trustedDirectory(target: Pick<StdioTarget, 'cwd'>, place: Place): string | undefined {
  const directory = directoryOf(target, place);
  const isTrusted = createRunnerTrust(place);
  if (!isTrusted(directory)) return undefined;
  const project = projectOf(directory);
  return project === undefined || isTrusted(project) ? directory : undefined;
}

/** The nearest directory that npm takes for the root of a project. */
function projectOf(directory: string): string | undefined {
  if (['package.json', 'node_modules'].some((name) => existsSync(path.join(directory, name)))) return directory;
  const parent = path.dirname(directory);
  return parent === directory ? undefined : projectOf(parent);
}
