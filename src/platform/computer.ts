import { homedir, tmpdir } from 'node:os';

/** The properties of the computer and its user that the workbench depends on. */
export interface Computer {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly platform: string;
  readonly home: string;
}

export function thisComputer(env: Computer['env']): Computer {
  const home = homeDirectory();
  return { env, cwd: currentDirectory() ?? env['PWD'] ?? home, platform: process.platform, home };
}

/** In a container the user may have neither HOME nor an entry in the user database. */
function homeDirectory(): string {
  try {
    return homedir();
  } catch {
    return tmpdir();
  }
}

/** Undefined if it was deleted. That does not prevent the start; servers that need it report it. */
function currentDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}
