import path from 'node:path';
import type { ServerConfig } from '../../config/config.js';
import { fileName } from '../../config/find.js';
import type { Computer } from '../../platform/computer.js';
import { configDirectoryOf } from '../../platform/directories.js';
import { shellQuote } from '../../text/shell-quote.js';

/** The command that logs in at a server, ready to be pasted. The user's own configuration is found without its name. */
export function authCommand({ toolbox, name, file }: ServerConfig, computer: Computer): string {
  const isOwn = file === undefined || file === path.join(configDirectoryOf(computer), fileName);
  const option = isOwn ? [] : ['--config', shellQuote(file)];
  const names = [toolbox, name];
  const words = names.some((word) => word.startsWith('-')) ? ['--', ...names] : names;
  return ['mcp-workbench', 'auth', ...option, ...words.map((word) => (word === '--' ? word : shellQuote(word)))].join(
    ' ',
  );
}
