import { shellQuote } from './shell-quote.js';

/** A command of this program as it is pasted into a shell. Words of which one begins with `-` stand after `--`. */
export function ownCommand(command: string, words: readonly string[], options: readonly string[] = []): string {
  const end = words.some((word) => word.startsWith('-')) ? ['--'] : [];
  return ['mcp-workbench', command, ...options, ...end, ...words].map(shellQuote).join(' ');
}
