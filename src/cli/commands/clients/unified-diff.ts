import { createTwoFilesPatch, structuredPatch } from 'diff';

/** Two texts with little in common take long to compare, and the diff would not be readable. */
const longestMs = 1_000;

/** A unified diff of two texts of one file. */
export function unifiedDiff(file: string, before: string, after: string): string {
  return createTwoFilesPatch(file, file, before, after, undefined, undefined, { context: 3 })
    .replace(/^Index: .*\n=+\n/, '')
    .trimEnd();
}

/** The lines that differ, with some around them, each after its sign. Between two places stands `…`. */
export function changedLines(before: string, after: string): readonly string[] {
  const patch = structuredPatch('', '', `${before}\n`, `${after}\n`, undefined, undefined, {
    context: 2,
    timeout: longestMs,
  });
  if (patch === undefined) return [...signed('-', before), ...signed('+', after)];
  return patch.hunks.flatMap(({ lines }, index) => (index === 0 ? lines : ['…', ...lines]));
}

function signed(sign: string, text: string): string[] {
  return text.split('\n').map((line) => sign + line);
}
