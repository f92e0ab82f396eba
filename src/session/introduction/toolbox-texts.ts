import type { ToolboxOverview } from '../../config/overview.js';
import { tokensAtMost } from '../../text/estimate-tokens.js';
import { shortenAtWord } from '../../text/shorten.js';

/** The toolboxes as described in several places: clients show only some of them, cut them, or search in them. */
export interface ToolboxTexts {
  readonly inInstructions: string;
  /** The names of toolboxes and servers, for the first line of a description: some clients search in nothing else. */
  readonly named: string;
  /** A line on each toolbox, for the rest of the description of open_toolbox. */
  readonly described: string;
  /** The names for an enum; undefined if they are too long. An incomplete enum would forbid the other names. */
  readonly names: readonly string[] | undefined;
}

/** The size limits of the texts. */
export interface TextRoom {
  readonly tokens: number;
  readonly instructionChars: number;
  readonly descriptionChars: number;
}

type Texts = Omit<ToolboxTexts, 'names'>;

// Candidate lengths of descriptions. Few, because each attempt costs time at every start.
const lengthsInOne = Array.from({ length: 23 }, (_, step) => Math.round(12 * 1.2 ** step));
const lengthsInBoth = lengthsInOne.slice(4);
/** How many servers of a toolbox are named. */
const serverCounts = [Number.POSITIVE_INFINITY, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1, 0];
const enumShare = 2 / 3;

/**
 * As much of each toolbox as fits. Servers are more important than long descriptions: they are what a client's own search
 * looks for. Descriptions are in the instructions and in that of open_toolbox; else only there, because every client shows
 * it; else only names are listed; else some of them.
 */
export function toolboxTexts(toolboxes: readonly ToolboxOverview[], room: TextRoom): ToolboxTexts {
  const names = toolboxes.map(({ name }) => name);
  const enumTokens = tokensAtMost(JSON.stringify(names));
  const hasEnum = names.length > 0 && enumTokens <= room.tokens * enumShare;
  const left = { ...room, tokens: hasEnum ? room.tokens - enumTokens : room.tokens };
  const texts = withServers(toolboxes.map(shown), left) ?? someNames(names, left);
  return { ...texts, names: hasEnum ? names : undefined };
}

function withServers(toolboxes: readonly ToolboxOverview[], room: TextRoom): Texts | undefined {
  // Lengths beyond the longest description make no difference.
  const whole = Math.max(0, ...toolboxes.map(({ description = '' }) => description.length));
  const useful = (lengths: readonly number[]) => lengths.filter((_, index) => (lengths[index - 1] ?? 0) < whole);
  const most = Math.max(0, ...toolboxes.map(({ servers }) => servers.length));
  for (const [index, count] of serverCounts.entries()) {
    // Nothing would be different from naming them all.
    if (index > 0 && count >= most) continue;
    const told = toolboxes.map((toolbox) => ({ ...toolbox, title: titleOf(toolbox, count) }));
    const named = told.map(({ title }) => title).join(', ');
    const namedTokens = tokensAtMost(named);
    // The instructions have the names as well. Estimates cost time at every start, so nothing that cannot fit is tried.
    if (named.length > room.descriptionChars || 3 * namedTokens > room.tokens) continue;
    // Both descriptions have the names.
    const left = { ...room, tokens: room.tokens - 2 * namedTokens };
    const found =
      longest(useful(lengthsInBoth), (chars) => linesInBoth(told, named, chars), left) ??
      longest(useful(lengthsInOne), (chars) => linesInOne(told, named, chars), left);
    if (found !== undefined) return found;
  }
  return undefined;
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

function fits({ inInstructions, named, described }: Texts, room: TextRoom): boolean {
  return (
    inInstructions.length <= room.instructionChars &&
    named.length + described.length <= room.descriptionChars &&
    tokensAtMost(inInstructions) + tokensAtMost(described) <= room.tokens
  );
}

interface Titled extends ToolboxOverview {
  readonly title: string;
}

function linesInBoth(toolboxes: readonly Titled[], named: string, chars: number): Texts {
  const lines = toolboxes.map(({ title, description }) => `- ${lineOf(title, description, chars)}`);
  return { inInstructions: lines.join('\n'), named, described: describedNames(toolboxes, chars) };
}

function linesInOne(toolboxes: readonly Titled[], named: string, chars: number): Texts {
  return { inInstructions: named, named, described: describedNames(toolboxes, chars) };
}

/** A toolbox without a description is not there: its name and servers are in the first line. */
function describedNames(toolboxes: readonly ToolboxOverview[], chars: number): string {
  return toolboxes
    .filter(({ description }) => description !== undefined)
    .map(({ name, description }) => lineOf(name, description, chars))
    .join('\n');
}

function lineOf(name: string, description: string | undefined, chars: number): string {
  return description === undefined ? name : `${name}: ${shortenAtWord(description, chars)}`;
}

/** `dev (github, postgres)`, or `dev (github, +3)` with fewer of them. */
function titleOf({ name, servers }: ToolboxOverview, count: number): string {
  const rest = servers.length > count ? [`+${servers.length - count}`] : [];
  return count === 0 || servers.length === 0 ? name : `${name} (${[...servers.slice(0, count), ...rest].join(', ')})`;
}

/** Server names and the start of the description, each on one line; no more than that is ever shown. */
function shown({ name, servers, description }: ToolboxOverview): ToolboxOverview {
  return { name, servers: servers.map(visible), description: description && visible(description.slice(0, 1_000)) };
}

/** On one line and without hidden characters. */
function visible(text: string): string {
  return (/^[ -~]*$/.test(text) ? text : withoutControls(text)).replace(/\s+/g, ' ').trim();
}

function withoutControls(text: string): string {
  // Not a literal: expressions of Unicode are parsed with the file that contains them, which takes time at every start.
  const hidden = new RegExp(String.raw`[\p{C}\p{DI}]`, 'gu');
  return text.replace(hidden, (character) => (character < ' ' ? ' ' : ''));
}

function someNames(names: readonly string[], room: TextRoom): Texts {
  const tokens = room.tokens / 3;
  return {
    inInstructions: namesThatFit(names, room.instructionChars, tokens),
    named: namesThatFit(names, room.descriptionChars, tokens),
    described: '',
  };
}

function namesThatFit(names: readonly string[], chars: number, tokens: number): string {
  const rest = '… (open_toolbox lists the rest: toolbox "*")';
  const all = names.join(', ');
  if (all.length <= chars && tokensAtMost(all) <= tokens) return all;
  let [text, used] = ['', tokensAtMost(rest)];
  for (const name of names) {
    used += tokensAtMost(`${name},`);
    if (used > tokens || text.length + name.length + 2 + rest.length > chars) break;
    text += `${name}, `;
  }
  return `${text}${rest}`;
}
