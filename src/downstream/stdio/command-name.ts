/** A command line in place of a command may contain secrets, so it is not quoted. */
export function nameOf(command: string): string {
  return isCommandLine(command) ? 'the command' : `command '${command}'`;
}

export function isCommandLine(command: string): boolean {
  return /\s|^\w+=/.test(command);
}
