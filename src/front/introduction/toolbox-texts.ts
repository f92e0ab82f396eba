import { estimateTokens } from '../../text/estimate-tokens.js';
import { shortenAtWord } from '../../text/shorten.js';
import type { ToolboxOverview } from '../../workbench/toolbox.js';

/** The toolboxes as described in three places: clients show only some of them, or cut them. */
export interface ToolboxTexts {
  readonly inInstructions: string;
  readonly inDescription: string;
  /** The names for an enum; undefined if they are too long. An incomplete enum would forbid the other names. */
  readonly names: readonly string[] | undefined;
}

/** The size limits of the three texts. */
export interface TextRoom {
  readonly tokens: number;
  readonly instructionChars: number;
  readonly descriptionChars: number;
}

type Texts = Pick<ToolboxTexts, 'inInstructions' | 'inDescription'>;

// Candidate lengths of descriptions. Few, because each attempt costs time at every start.
const lengthsInBoth = [24, 29, 35, 42, 50, 60, 72, 86, 103, 124, 149, 179, 215, 258, 310, 372, 446, 535, 642];
const lengthsInOne = [12, 14, 17, 20, ...lengthsInBoth];
const enumShare = 2 / 3;

/**
 * As much of each toolbox as fits: descriptions in both texts; else only in that of open_toolbox, which every
 * client shows; else names; else some of the names.
 */
export function toolboxTexts(toolboxes: readonly ToolboxOverview[], room: TextRoom): ToolboxTexts {
  const names = toolboxes.map(({ name }) => name);
  const enumTokens = estimateTokens(JSON.stringify(names));
  const hasEnum = names.length > 0 && enumTokens <= room.tokens * enumShare;
  const left = { ...room, tokens: hasEnum ? room.tokens - enumTokens : room.tokens };
  const described = toolboxes.map(withShortDescription);
  // Lengths beyond the longest description make no difference.
  const whole = Math.max(0, ...described.map(({ description }) => description.length));
  const useful = (lengths: readonly number[]) => lengths.filter((_, index) => (lengths[index - 1] ?? 0) < whole);
  const texts =
    longest(useful(lengthsInBoth), (chars) => linesInBoth(described, chars), left) ??
    longest(useful(lengthsInOne), (chars) => linesInOne(described, chars), left) ??
    someNames(names, left);
  return { ...texts, names: hasEnum ? names : undefined };
}

/** The texts with the longest descriptions that fit; undefined if not even the shortest do. */
function longest(lengths: readonly number[], make: (chars: number) => Texts, room: TextRoom): Texts | undefined {
  // Tried first: most descriptions fit uncut.
  const whole = make(lengths.at(-1) ?? 0);
  if (fits(whole, room)) return whole;
  let best: Texts | undefined;
  let [low, high] = [0, lengths.length - 2];
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const texts = make(lengths[middle] ?? 0);
    if (fits(texts, room)) [best, low] = [texts, middle + 1];
    else high = middle - 1;
  }
  return best;
}

function fits({ inInstructions, inDescription }: Texts, room: TextRoom): boolean {
  return (
    inInstructions.length <= room.instructionChars &&
    inDescription.length <= room.descriptionChars &&
    estimateTokens(inInstructions) + estimateTokens(inDescription) <= room.tokens
  );
}

function linesInBoth(toolboxes: readonly ToolboxOverview[], chars: number): Texts {
  const counted = ({ length }: readonly string[]) => `${length} ${length === 1 ? 'server' : 'servers'}`;
  const lines = toolboxes.map(
    (toolbox) => `- ${toolbox.name} (${counted(toolbox.servers)}): ${shortenAtWord(toolbox.description, chars)}`,
  );
  return { inInstructions: lines.join('\n'), inDescription: describedNames(toolboxes, chars) };
}

function linesInOne(toolboxes: readonly ToolboxOverview[], chars: number): Texts {
  return {
    inInstructions: toolboxes.map(({ name }) => name).join(', '),
    inDescription: describedNames(toolboxes, chars),
  };
}

function describedNames(toolboxes: readonly ToolboxOverview[], chars: number): string {
  return toolboxes.map((toolbox) => `${toolbox.name}: ${shortenAtWord(toolbox.description, chars)}`).join('\n');
}

/** The start of the description on one line; no more than that is ever shown. */
function withShortDescription(toolbox: ToolboxOverview): ToolboxOverview {
  return { ...toolbox, description: toolbox.description.slice(0, 1_000).replace(/\s+/g, ' ').trim() };
}

function someNames(names: readonly string[], room: TextRoom): Texts {
  const tokens = room.tokens / 2;
  return {
    inInstructions: namesThatFit(names, room.instructionChars, tokens),
    inDescription: namesThatFit(names, room.descriptionChars, tokens),
  };
}

function namesThatFit(names: readonly string[], chars: number, tokens: number): string {
  const rest = '… (open_toolbox lists the rest: toolbox "*")';
  const all = names.join(', ');
  if (all.length <= chars && estimateTokens(all) <= tokens) return all;
  let [text, used] = ['', estimateTokens(rest)];
  for (const name of names) {
    used += estimateTokens(`${name},`);
    if (used > tokens || text.length + name.length + 2 + rest.length > chars) break;
    text += `${name}, `;
  }
  return `${text}${rest}`;
}
