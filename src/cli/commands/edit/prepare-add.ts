import { shellQuote } from '../../../text/shell-quote.js';

/** Of a command, as far as they are needed to find its words. */
type Options = Readonly<Record<string, { readonly value?: string; readonly short?: string }>>;

/**
 * The arguments of `add` as if they had been typed in full: a program may follow the names without `--`, and a command that was
 * pasted without quotes is one word.
 */
export function prepareAdd(args: readonly string[], options: Options): readonly string[] {
  const [first, , third] = wordPlaces(args, options);
  if (first === undefined) return args;
  const rest = args.slice(first);
  if (isCommand(rest)) return [...args.slice(0, first), '--', rest.map(shellQuote).join(' ')];
  if (third === undefined || args.includes('--') || args[third]?.includes('://') === true) return args;
  return [...args.slice(0, third), '--', ...args.slice(third)];
}

/** Whether words are a whole command as vendors print it, and not the names of a toolbox and a server. */
function isCommand([program = '', second = '', third = '']: readonly string[]): boolean {
  if (second === 'mcp' && /^add(?:-json)?$/.test(third)) return true;
  if (/^--add-mcp(?:=|$)/.test(second)) return true;
  if (/^(?:docker|podman)$/.test(program)) return second === 'run';
  return /^(?:npx|bunx|pnpx|uvx)$/.test(program) && /^-|[@/]/.test(second);
}

/** Where the words stand that are neither options nor their values; none after `--`. */
function wordPlaces(args: readonly string[], options: Options): number[] {
  const takesValue = (word: string) =>
    Object.entries(options).some(
      ([name, { value, short }]) => value !== undefined && (word === `--${name}` || word === `-${short}`),
    );
  const places: number[] = [];
  for (let at = 0; at < args.length && args[at] !== '--'; at++) {
    const word = args[at] ?? '';
    if (takesValue(word)) at++;
    else if (!word.startsWith('-') || word === '-') places.push(at);
  }
  return places;
}
