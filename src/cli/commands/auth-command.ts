import { ownCommand } from '../../text/own-command.js';
import type { Call } from './command.js';

/** The command that logs in at a server, as it is pasted, with further options. */
export type AuthCommand = (
  server: { readonly toolbox: string; readonly name: string },
  ...options: readonly string[]
) => string;

/** For the same configuration. */
export function authCommandOf({ options }: Call): AuthCommand {
  const config = typeof options['config'] === 'string' ? ['--config', options['config']] : [];
  return ({ toolbox, name }, ...more) => ownCommand('auth', [toolbox, name], [...more, ...config]);
}
