import { ownCommand } from '../../text/own-command.js';
import type { Call } from './command.js';

/** The command that logs in at a server, as it is pasted, with further options. */
export type AuthCommand = (
  server: { readonly toolbox: string; readonly name: string },
  ...options: readonly string[]
) => string;

/** For the same configuration. */
export function authCommandOf({ value }: Call): AuthCommand {
  const file = value('config');
  const config = file === undefined ? [] : ['--config', file];
  return ({ toolbox, name }, ...more) => ownCommand('auth', [toolbox, name], [...more, ...config]);
}
