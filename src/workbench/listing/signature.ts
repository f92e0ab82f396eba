import type { Tool } from '../../contract/types.js';
import { shorten } from '../../text/shorten.js';
import { type Detail, type Shape, shapeOf } from './type-text.js';

const usualLength = 800;

// Tried in this order until one fits: what is nested deepest, and the tails of long enums, are missed least.
const details: readonly Detail[] = [
  { depth: 8, choices: 60 },
  { depth: 5, choices: 20 },
  { depth: 3, choices: 10 },
  { depth: 2, choices: 5 },
  { depth: 1, choices: 3 },
];
const namesOnly: Detail = { depth: 0, choices: 1 };

/** `read_file(path: string, head?: number = 10)`: how to call a tool, in at most `mostChars` characters. */
export function signatureOf(tool: Tool, mostChars: number = usualLength): string {
  // At least the brackets must have room, so a name that fills everything is cut.
  const name = shorten(tool.name, Math.max(1, mostChars - 3));
  return shorten(`${name}${argumentsOf(tool, mostChars - name.length)}`, mostChars);
}

/** The part of a signature after the name: `(path: string, head?: number = 10)`. */
export function argumentsOf({ inputSchema }: Tool, mostChars: number = usualLength): string {
  for (const detail of details) {
    const text = bracketed(shapeOf(inputSchema, detail, mostChars));
    if (text.length <= mostChars) return text;
  }
  const cut = namesThatFit(inputSchema, mostChars - 2);
  return shorten(`(${cut})`, mostChars);
}

/** The names of a tool's parameters: `path, head?`. */
export function parameterNamesOf({ inputSchema }: Tool, mostChars: number = usualLength): string {
  return namesThatFit(inputSchema, mostChars);
}

function namesThatFit(schema: unknown, mostChars: number): string {
  const { members = [], others } = shapeOf(schema, namesOnly, mostChars);
  const names = others.length > 0 ? [...members, '…'] : members;
  const all = names.join(', ');
  if (all.length <= mostChars) return all;
  let text = '';
  for (const name of names) {
    const next = `${text}${name}, `;
    if (next.length + 1 > mostChars) break;
    text = next;
  }
  return shorten(`${text}…`, mostChars);
}

function bracketed({ members, others }: Shape): string {
  if (others.length === 0) return `(${members?.join(', ') ?? ''})`;
  const parts = members === undefined || members.length === 0 ? others : [`{${members.join(', ')}}`, ...others];
  return `(${parts.join(' & ')})`;
}
