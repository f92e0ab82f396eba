import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { StdioTarget } from '../../../config/config.js';
import { createDirectoryTrust, isOnlyOurs } from '../../../config/trust/directory-trust.js';
import { realPathOf } from '../../../config/trust/trust-store.js';
import { isRecord } from '../../../jsonrpc/json.js';
import type { Computer } from '../../../platform/computer.js';
import { ancestorsOf } from './elsewhere/exposed-directory.js';

/** Where the servers of a configuration start. */
export interface RunnerPlace {
  readonly computer: Computer;
  /** The variables that every process gets; those of the entry are added. */
  readonly environment: ReadonlyMap<string, string>;
  /** Undefined: nothing is kept. */
  readonly cacheDirectory: string | undefined;
  /**
   * The configuration in use, unless it was named by a relative path. It is the user's own, was named by the user, or is trusted;
   * so is its directory, if no other user can write to it.
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

/** The directory of a server, if the user trusts it and the projects that npm may use there. */
export function trustedDirectory(target: Pick<StdioTarget, 'cwd'>, place: Place): string | undefined {
  const directory = directoryOf(target, place);
  const isTrusted = createRunnerTrust(place);
  if (!isTrusted(directory)) return undefined;
  return projectsOf(directory).every(isTrusted) ? directory : undefined;
}

/** The nearest directory that npm takes for the root of a project, and those above it that may have that as a workspace. */
function projectsOf(directory: string): string[] {
  const [project, ...above] = ancestorsOf(directory).filter((one) =>
    ['package.json', 'node_modules'].some((name) => existsSync(path.join(one, name))),
  );
  return project === undefined ? [] : [project, ...above.filter(mayHaveWorkspaces)];
}

function mayHaveWorkspaces(directory: string): boolean {
  const file = path.join(directory, 'package.json');
  if (!existsSync(file)) return false;
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
    return isRecord(content) && content['workspaces'] !== undefined;
  } catch {
    return true;
  }
}
