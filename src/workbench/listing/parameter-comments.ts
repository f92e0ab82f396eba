import type { Tool } from '../../contract/types.js';
import { textSize } from './fit-text.js';
import { commentedArgumentsOf } from './signature.js';
import type { Views } from './tool-views.js';

/** With less room than this, descriptions of parameters are not tried: it costs time. */
const leastRoom = 120;
/** Of the description of each parameter, at least and at most. */
const least = 60;
const most = 1_000;
const halvings = 4;

/** The whole signature with as much of the descriptions of parameters as fits; undefined if there is no room for them. */
export function commentedSignature(tool: Tool, room: number, views: Views): string | undefined {
  const { options, effortForComments } = views;
  const write = (each: number, all: number) => {
    if (room < leastRoom || effortForComments.left <= 0) return undefined;
    const text = commentedArgumentsOf(tool, Math.floor(room), { each, all }, effortForComments);
    return text !== undefined && textSize(text, options) <= room ? text : undefined;
  };
  const plain = write(0, 0);
  if (plain === undefined) return undefined;
  const all = write(most, room);
  if (all !== undefined) return all;
  const short = write(least, room);
  // Not even short ones fit: only the first parameters have one.
  if (short === undefined) return write(least, room - textSize(plain, options)) ?? plain;
  let best = { text: short, each: least };
  let tooMuch = most;
  for (let step = 0; step < halvings; step++) {
    const each = Math.floor(Math.sqrt(best.each * tooMuch));
    const text = write(each, room);
    if (text === undefined) tooMuch = each;
    else best = { text, each };
  }
  return best.text;
}
