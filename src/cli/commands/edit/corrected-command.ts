import { hideKnownForms } from '../../../text/secrets/known-forms.js';
import { shellQuote } from '../../../text/shell-quote.js';
import { isRisky } from './risky-value.js';

/** A command as it is pasted into a shell. What may be a secret is not printed. */
export function correctedCommand(command: string, args: readonly string[]): string {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const words = args.map((word, index) => (index < end ? masked(word, args[index - 1]) : word));
  return ['mcp-workbench', command, ...words.map((word) => hideKnownForms(word, '…'))].map(shellQuote).join(' ');
}

function masked(word: string, before: string | undefined): string {
  const [, option = '', given = word] = /^(-e(?!nv)|--env=|--header=)([^]+)$/.exec(word) ?? [];
  if (option === '' && !['-e', '--env', '--header'].includes(before ?? '')) return word;
  const [, name = '', sign = '', value = ''] = /^([^=:]+)([=:]\s*)([^]*)$/.exec(given) ?? [];
  return isRisky(name, value) ? `${option}${name}${sign}…` : word;
}

/** With one more option, before `--`. */
export function withOption(args: readonly string[], ...option: readonly string[]): string[] {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  return [...args.slice(0, end), ...option, ...args.slice(end)];
}

/** Without an option that has a value, where it is given first. */
export function withoutOption(args: readonly string[], long: string, short?: string): string[] {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const at = args.findIndex(
    (word, index) =>
      index < end && (word === long || word.startsWith(`${long}=`) || (short !== undefined && word.startsWith(short))),
  );
  if (at === -1) return [...args];
  const hasNext = args[at] === long || args[at] === short;
  return [...args.slice(0, at), ...args.slice(at + (hasNext ? 2 : 1))];
}
