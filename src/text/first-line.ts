import { printable } from './printable.js';
import { shorten } from './shorten.js';

const defaultLength = 300;

/** The first line of a text that is not empty, cut if it is longer than `length`; undefined if there is none. */
export function firstLine(text: string, length: number = defaultLength): string | undefined {
  const line = /\S.*/.exec(printable(text))?.[0].trimEnd();
  return line === undefined ? undefined : shorten(line, length);
}
