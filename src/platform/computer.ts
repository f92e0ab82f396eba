import { homedir, userInfo } from 'node:os';
import { isAbsolute } from 'node:path';

/** The properties of the computer and its user that the workbench depends on. */
export interface Computer {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly platform: string;
  readonly home: string;
}

/** A working directory that was deleted does not prevent the start; servers that need it report it. */
export function thisComputer(env: Computer['env']): Computer {
  const home = homeDirectory();
  return { env, cwd: absolute(() => process.cwd()) ?? env['PWD'] ?? home, platform: process.platform, home };
}

/** HOME may be empty or relative, and would then lead into the working directory, which may be anyone's. */
function homeDirectory(): string {
  return absolute(homedir) ?? absolute(() => userInfo().homedir) ?? '/nonexistent';
}

function absolute(find: () => string): string | undefined {
  try {
    const directory = find();
    return isAbsolute(directory) ? directory : undefined;
  } catch {
    // Deleted; or, in a container, a user without an entry in the user database.
    return undefined;
  }
}
