import { correctedCommand } from './corrected-command.js';

/** Of a command, as far as they are needed to find its words. */
type Options = Readonly<Record<string, { readonly value?: string; readonly short?: string }>>;

/** For `add`: the command with the `--` that was forgotten before the program. */
export function correctAdd(problem: string, args: readonly string[], options: Options): string | undefined {
  const [sentence = ''] = problem.split(/(?<=\.) /);
  const separated = withSeparator(args, options);
  return separated && `${sentence} The program comes after --:\n  ${correctedCommand('add', separated)}`;
}

/** With `--` before the third word, which begins the program; undefined if there is no such word, or a `--`. */
function withSeparator(args: readonly string[], options: Options): string[] | undefined {
  if (args.includes('--')) return undefined;
  const takesValue = (word: string) =>
    Object.entries(options).some(
      ([name, { value, short }]) => value !== undefined && (word === `--${name}` || word === `-${short}`),
    );
  let words = 0;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (takesValue(word)) at++;
    else if ((!word.startsWith('-') || word === '-') && ++words === 3)
      return /^https?:/i.test(word) ? undefined : [...args.slice(0, at), '--', ...args.slice(at)];
  }
  return undefined;
}
