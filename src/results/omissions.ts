import {
  longestInstructions,
  longestToolName,
  maxListingBytes,
  maxToolChars,
  maxToolDepth,
  maxToolNodes,
  maxToolPages,
  maxTools,
} from '../limits.js';

/** Why tools of a server were left out, and at the end what was changed. */
const phrases = {
  malformed: (count: number) => `${tools(count)} without a name or an input schema`,
  large: (count: number) =>
    `${tools(count)} over ${maxToolChars / 1_024} KB, ${maxToolDepth} levels or ${maxToolNodes} values`,
  name: (count: number) =>
    `${tools(count)} with hidden characters in a name or value, or a name over ${longestToolName} characters`,
  secret: (count: number) => `${tools(count)} with a configured secret in the name`,
  duplicate: (count: number) => `${tools(count)} with the name of an earlier one`,
  headers: (count: number) => `${tools(count)} with an invalid x-mcp-header`,
  excess: (count: number) => `${tools(count)} after the first ${maxTools}`,
  cut: () => `what comes after ${maxListingBytes / 1_048_576} MB, ${maxToolPages} pages or a repeated page`,
  saysTooMuch: () => `what comes after ${longestInstructions} characters of its instructions`,
  cleaned: (count: number) => `from ${tools(count)}`,
  instructions: () => 'from its instructions',
};

export type Omission = keyof typeof phrases;

/** How often which of these happened to the tools of a server. */
export type Omissions = Readonly<Partial<Record<Omission, number>>>;

const leftOut = [
  'malformed',
  'large',
  'name',
  'secret',
  'duplicate',
  'headers',
  'excess',
  'cut',
  'saysTooMuch',
] as const;
const cleaned = ['cleaned', 'instructions'] as const;
export const omissionKinds: readonly Omission[] = [...leftOut, ...cleaned];

/** What happened, as a phrase; undefined if nothing did. */
export function omissionText(omissions: Omissions): string | undefined {
  const of = (kinds: readonly Omission[]) =>
    kinds.flatMap((kind) => (omissions[kind] === undefined ? [] : [phrases[kind](omissions[kind])])).join(', ');
  const [left, removed] = [of(leftOut), of(cleaned)];
  const parts = [left && `left out ${left}`, removed && `hidden characters removed ${removed}`].filter(Boolean);
  return parts.length === 0 ? undefined : parts.join('; ');
}

function tools(count: number): string {
  return count === 1 ? '1 tool' : `${count} tools`;
}
