/** The name of a program, without its directory and its ending. */
export function programName(word: string): string {
  const [base = ''] = word.split(/[\\/]/).slice(-1);
  // `npx-cli.js` is what the program npx starts.
  return base.toLowerCase().replace(/(?:-cli)?(?:\.(?:exe|cmd|bat|ps1|[cm]?js))?$/, '');
}
