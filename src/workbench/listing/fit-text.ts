import { shorten } from '../../text/shorten.js';
import { type Budget, jsonChars } from './listed-tool.js';

const maxTries = 5;

/** What a text adds to the JSON of an empty one. */
export function textSize(text: string, unit: Pick<Budget, 'inBytes'>): number {
  return jsonChars(text, unit) - 2;
}

/** The longest text within `room`. As JSON, or in bytes, a text may be longer than its characters, so a few lengths are tried. */
export function fitText(make: (maxChars: number) => string, room: number, unit: Pick<Budget, 'inBytes'>): string {
  let chars = Math.floor(room);
  for (let tries = 0; tries < maxTries && chars > 0; tries++) {
    const text = make(chars);
    const size = textSize(text, unit);
    if (size <= room) return text;
    chars = Math.floor((Math.min(chars, text.length) * room) / size) - 1;
  }
  return '';
}

/** The beginning of a text within `room`. */
export function shortenToSize(text: string, room: number, unit: Pick<Budget, 'inBytes'>): string {
  return fitText((chars) => shorten(text, chars), room, unit);
}
