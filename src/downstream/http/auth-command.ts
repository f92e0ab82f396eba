import path from 'node:path';
import type { ServerConfig } from '../../config/config.js';
import { fileName } from '../../config/files/find.js';
import type { Computer } from '../../platform/computer.js';
import { configDirectoryOf } from '../../platform/directories.js';
import { ownCommand } from '../../text/own-command.js';

/** The command that logs in at a server, ready to be pasted. The user's own configuration is found without its name. */
export function authCommand(
  { toolbox, name, file }: ServerConfig,
  computer: Computer,
  options: readonly string[] = [],
): string {
  const isOwn = file === undefined || file === path.join(configDirectoryOf(computer), fileName);
  return ownCommand('auth', [toolbox, name], [...options, ...(isOwn ? [] : ['--config', file])]);
}
