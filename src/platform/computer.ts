import { homedir } from 'node:os';

/** The computer and the user that this process runs for, as far as anything depends on them. */
export interface Computer {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly platform: string;
  readonly home: string;
}

export function thisComputer(env: Computer['env']): Computer {
  const home = homedir();
  return { env, cwd: currentDirectory() ?? env['PWD'] ?? home, platform: process.platform, home };
}

/** Undefined if it was deleted: that is no reason not to start, and a server that needs it reports it. */
function currentDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}
