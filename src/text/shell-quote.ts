/** A word as it is pasted into a shell: quoted where needed. */
export function shellQuote(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) && !word.startsWith('~') ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
