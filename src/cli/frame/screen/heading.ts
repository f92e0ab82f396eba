import { cutToWidth, displayWidth, padToWidth } from '../../../text/display-width.js';
import type { Output } from './output.js';

interface Heading {
  readonly name: string;
  readonly description: string;
  /** At the end of the line, never cut. */
  readonly facts: string;
  /** Of the longest name. */
  readonly nameWidth: number;
}

const gap = 2;
const widest = 100;
const leastDescription = 12;

/** `dev   Code, issues and documentation     4 servers   42 tools`: the description gives way. */
export function headingLine({ name, description, facts, nameWidth }: Heading, { width, signs }: Output): string {
  const line = description.replaceAll(/\s+/g, ' ').trim();
  if (width === undefined) return [padToWidth(name, nameWidth), line, facts].join('   ');
  const room = Math.min(width, widest) - nameWidth - displayWidth(facts) - 2 * gap;
  const shownName = padToWidth(cutToWidth(name, nameWidth, signs.ellipsis), nameWidth);
  if (room < leastDescription) return cutToWidth(name, width, signs.ellipsis);
  return `${shownName}  ${padToWidth(cutToWidth(line, room, signs.ellipsis), room)}  ${facts}`;
}
