import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that far apart in the alphabet run next to each other. */
const stride = 7;

/**
 * Files with the tag `slow` first, so that no worker is left with one at the end; unit tests last, one after the other, since only
 * neighbours of one project share a worker. vitest's own order depends on the last run, which a clean clone does not have.
 */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const named = files.toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1));
    const units = named.filter(({ project }) => project.name === 'unit');
    const others = named.filter(({ project }) => project.name !== 'unit');
    const slow = others.filter(({ moduleId }) => isSlow(moduleId));
    return [...mixed(slow), ...others.filter((file) => !slow.includes(file)), ...units];
  }
}

/** Those of one folder wait for the same things, such as the end of a host: side by side they would leave the cores idle. */
function mixed(files: readonly TestSpecification[]): TestSpecification[] {
  return files
    .map((file, index) => ({ file, group: index % stride }))
    .toSorted((a, b) => a.group - b.group)
    .map(({ file }) => file);
}

function isSlow(path: string): boolean {
  return /^\/\/ @module-tag slow$/m.test(readFileSync(path, 'utf8').slice(0, 200));
}
