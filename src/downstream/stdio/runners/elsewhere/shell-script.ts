import { programName } from './program-name.js';

const shells = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh']);

export function isShell(program: string): boolean {
  return shells.has(programName(program));
}

/** The place of a script for a shell. */
export function scriptAt(words: readonly string[]): number | undefined {
  if (!isShell(words[0] ?? '')) return undefined;
  let index = 1;
  while (/^[-+]/.test(words[index] ?? '')) {
    const word = words[index] ?? '';
    if (/^-[a-z]*c$/.test(word)) return words[index + 1] === undefined ? undefined : index + 1;
    index += /^(?:[-+][a-z]*[oO]|--rcfile|--init-file)$/.test(word) ? 2 : 1;
  }
  return undefined;
}

/** The words of a script that is one command, and nothing that only a shell understands. */
export function plainWords(script: string): string[] | undefined {
  const words = splitWords(script.trim().replace(/^((?:\w+=\S*\s+)*)exec\s+/, '$1'));
  return words !== undefined && /^\w+=/.test(words[0] ?? '') ? ['env', ...words] : words;
}

/** As a shell splits them, and `env -S`. Undefined if they have more than words and quotes. */
export function splitWords(line: string): string[] | undefined {
  // One character at a time: with more there would be many ways to read a word, and a text that does not match tries them all.
  if (!/^(?:[\w@%+=:,./~ \t-]|'[^']*'|"[^"$`\\]*")+$/.test(line) || /(?:^|\s)~/.test(line)) return undefined;
  return Array.from(line.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g), ([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''),
  );
}
