import { homedir, userInfo } from 'node:os';
import { isAbsolute } from 'node:path';

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

/** HOME may be empty or relative, and would then lead into the working directory, which may be anyone's. */
function homeDirectory(): string {
  for (const find of [homedir, () => userInfo().homedir]) {
    try {
      const home = find();
      if (isAbsolute(home)) return home;
    } catch {
      // In a container the user may not be in the user database.
    }
  }
  return '/nonexistent';
}

/** Undefined if it was deleted. That does not prevent the start; servers that need it report it. */
function currentDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}
