import { shellQuote } from './shell-quote.js';

/** A command of this program as it is pasted into a shell. Words that begin with `-` stand after `--`. */
export function ownCommand(command: string, words: readonly string[], options: readonly string[] = []): string {
  const isMistakable = words.some((word) => word.startsWith('-'));
  const rest = isMistakable ? [...options, '--', ...words] : [...words, ...options];
  return ['mcp-workbench', command, ...rest].map(shellQuote).join(' ');
}
