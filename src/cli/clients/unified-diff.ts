import { createTwoFilesPatch } from 'diff';

/** A unified diff of two texts of one file. */
export function unifiedDiff(file: string, before: string, after: string): string {
  return createTwoFilesPatch(file, file, before, after, undefined, undefined, { context: 3 })
    .replace(/^Index: .*\n=+\n/, '')
    .trimEnd();
}
