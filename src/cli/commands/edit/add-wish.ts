import { addOptions } from './add-options.js';
import { correctedCommand, withOption, withoutOption } from './corrected-command.js';
import type { EditRequest } from './edit-request.js';

/** What `add` was asked for. */
export interface AddWish {
  readonly toolbox: string;
  readonly server: string;
  readonly target: { readonly url: string } | { readonly command: string; readonly args: readonly string[] };
}

type Asked = Pick<EditRequest, 'words' | 'wordsBefore' | 'args' | 'values' | 'value'>;

/** Reads the words of `add`. A problem comes with the corrected command. */
export function readWish(call: Asked): AddWish | { readonly problem: string } {
  const { toolbox, server, url, others, program } = splitWords(call);
  const { args } = call;
  if (server === undefined || toolbox === undefined)
    return { problem: 'add needs TOOLBOX NAME (URL | COMMAND…), or one word with what its vendor prints.' };
  const [command, ...rest] = program;
  if (url !== undefined && command !== undefined)
    return {
      problem: problemWith(
        'Either a URL or a program, not both.',
        args.filter((word) => word !== url),
      ),
    };
  if (command !== undefined) return { toolbox, server, target: { command, args: rest } };
  if (url === undefined)
    return { problem: problemWith(`What is '${server}'? Give a URL or a program:`, [...args, 'COMMAND']) };
  if (others.length > 0 || !/^https?:\/\//i.test(url)) {
    if (others.length === 0) return { problem: `'${url}' is not an http or https URL.` };
    return {
      problem: problemWith(
        `Unexpected '${others[0] ?? ''}' after the URL.`,
        args.filter((word) => !others.includes(word)),
      ),
    };
  }
  return { toolbox, server, target: { url } };
}

interface SplitWords {
  readonly toolbox: string | undefined;
  readonly server: string | undefined;
  readonly url: string | undefined;
  readonly others: readonly string[];
  readonly program: readonly string[];
}

/** Names that begin with `-` come after `--`; the program then comes after another one. */
function splitWords({ words, wordsBefore }: Asked): SplitWords {
  const isLate = wordsBefore !== undefined && wordsBefore < 2;
  const second = words.indexOf('--');
  const end = isLate ? (second === -1 ? words.length : second) : (wordsBefore ?? words.length);
  const [toolbox, server, url, ...others] = words.slice(0, end);
  return { toolbox, server, url, others, program: words.slice(isLate ? end + 1 : end) };
}

function problemWith(sentence: string, args: readonly string[]): string {
  return `${sentence}\n  ${correctedCommand('add', args)}`;
}

/** Options that have no effect on what is added. */
export function uselessOption({ target }: AddWish, { args, values, value }: Asked): string | undefined {
  const isUrl = 'url' in target;
  const given = (name: string) => values(name).length > 0 || value(name) !== undefined;
  const candidates = isUrl ? (['env', 'cwd'] as const) : (['header'] as const);
  const useless = candidates.find(given);
  if (useless === undefined) return undefined;
  const why = isUrl
    ? `--${useless} is for programs, and this is a URL.${useless === 'env' ? ' A token goes into a header:' : ' Without it:'}`
    : '--header is for a URL, and this is a program. A token goes into a variable:';
  const without = candidates.reduce<string[]>((rest, name) => withoutAll(rest, name), [...args]);
  if (useless === 'env') return problemWith(why, withOption(without, '--header', 'Authorization: Bearer ${TOKEN}'));
  return problemWith(why, useless === 'header' ? withOption(without, '-e', 'TOKEN') : without);
}

function withoutAll(args: readonly string[], name: keyof typeof addOptions): string[] {
  const option = addOptions[name];
  const next = withoutOption(args, `--${name}`, 'short' in option ? `-${option.short}` : undefined);
  return next.length === args.length ? next : withoutAll(next, name);
}
