import type { Tool } from '../../contract/types.js';
import { shorten } from '../../text/shorten.js';
import { type Comments, type Detail, type Effort, type Shape, shapeOf } from './type-text.js';

const defaultLength = 800;

// Tried in this order until one fits: deeply nested members and the tails of long enums matter least.
const mostDetail: Detail = { depth: 8, choices: 60 };
const details: readonly Detail[] = [
  mostDetail,
  { depth: 5, choices: 20 },
  { depth: 3, choices: 10 },
  { depth: 2, choices: 5 },
  { depth: 1, choices: 3 },
];
const namesOnly: Detail = { depth: 0, choices: 1 };

/** `read_file(path: string, head?: number = 10)`: how to call a tool, in at most `maxChars` characters. */
export function signatureOf(tool: Tool, maxChars: number = defaultLength): string {
  // A very long name is cut so that the brackets still fit.
  const name = shorten(tool.name, Math.max(1, maxChars - 3));
  return shorten(`${name}${argumentsOf(tool, maxChars - name.length)}`, maxChars);
}

/** The part of a signature after the name: `(path: string, head?: number = 10)`. */
export function argumentsOf({ inputSchema }: Tool, maxChars: number = defaultLength, effort?: Effort): string {
  for (const detail of details) {
    const text = bracketed(shapeOf(inputSchema, detail, maxChars, effort));
    if (text.length <= maxChars) return text;
  }
  const cut = namesThatFit(inputSchema, maxChars - 2, effort);
  return shorten(`(${cut})`, maxChars);
}

/** The same with descriptions of parameters, `path: string /* of a file *\/`; undefined if it is too long. */
export function commentedArgumentsOf(
  { inputSchema }: Tool,
  maxChars: number,
  comments: Comments,
  effort?: Effort,
): string | undefined {
  const text = bracketed(shapeOf(inputSchema, { ...mostDetail, comments }, maxChars, effort));
  return text.length <= maxChars ? text : undefined;
}

function namesThatFit(schema: unknown, maxChars: number, effort?: Effort): string {
  const { members = [], others } = shapeOf(schema, namesOnly, maxChars, effort);
  const names = others.length > 0 ? [...members, '…'] : members;
  const all = names.join(', ');
  if (all.length <= maxChars) return all;
  let text = '';
  for (const name of names) {
    const next = `${text}${name}, `;
    if (next.length + 1 > maxChars) break;
    text = next;
  }
  return shorten(`${text}…`, maxChars);
}

function bracketed({ members, others }: Shape): string {
  if (others.length === 0) return `(${members?.join(', ') ?? ''})`;
  const parts = members === undefined || members.length === 0 ? others : [`{${members.join(', ')}}`, ...others];
  return `(${parts.join(' & ')})`;
}
