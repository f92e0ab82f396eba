import type { Tool } from '../../contract/types.js';
import type { Slices } from '../../platform/slices.js';

/** Longer descriptions are whole manuals; sentences that tools share stand at their beginning. */
const comparedChars = 1_000;
const leastTools = 3;
const shortestShared = 12;
// Headings and items of a list have their meaning from where they stand: 'EXACTLY ONE of these options:' is not to be skipped.
const isWholeSentence = /^[^-*•#\d].*[.!?。！？]$/su;
const sentenceEnds = /(?<=[.!?。！？])\s+|\n+/;

/** The beginning of a description, with the white space of its source code removed; lines stay lines. */
export function plainDescription({ description }: Tool, maxChars: number): string {
  if (typeof description !== 'string') return '';
  return description
    .slice(0, maxChars)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .trim();
}

/** The sentences that more than half of the tools have in their descriptions: they tell nothing about one of them. */
export async function sharedSentences(tools: readonly Tool[], slices: Slices): Promise<ReadonlySet<string>> {
  const shared = new Set<string>();
  if (tools.length < leastTools) return shared;
  const counts = new Map<string, number>();
  for (const tool of tools) {
    if (slices.isOver()) await slices.next();
    const compared = plainDescription(tool, comparedChars);
    for (const sentence of new Set(compared.split(sentenceEnds))) {
      const count = (counts.get(sentence) ?? 0) + 1;
      counts.set(sentence, count);
      if (count <= tools.length / 2 || sentence.length < shortestShared) continue;
      if (isWholeSentence.test(sentence)) shared.add(sentence);
    }
  }
  return shared;
}

/** The description without these sentences, unless nothing else is in it. */
export function withoutSentences(description: string, sentences: ReadonlySet<string>): string {
  if (sentences.size === 0) return description;
  const compared = description.slice(0, comparedChars);
  // With the separators between them, which are kept.
  const parts = compared.split(new RegExp(`(${sentenceEnds.source})`));
  const kept = parts.filter((part, index) => !sentences.has(index % 2 === 0 ? part : (parts[index - 1] ?? '')));
  return `${kept.join('')}${description.slice(comparedChars)}`.trim() || description;
}
