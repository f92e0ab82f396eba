import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomically } from '../../platform/atomic-file.js';
import { directoryProblem } from '../../platform/own-directory.js';

/** What agents have been told of the changes under one configuration, so that the next session need not say it again. */
export interface NotedChanges {
  /** Digests of tools and instructions. */
  read(): Promise<ReadonlySet<string>>;
  add(digests: Iterable<string>): void;
  flush(): Promise<void>;
}

const mostKept = 5_000;
const maxBytes = 1_000_000;

/** Optional: if the file cannot be read or written, changes are told once per session. */
export function createNotedChanges(file: string, keepsFiles: boolean): NotedChanges {
  let known: Promise<Set<string>> | undefined;
  let unsaved: string[] = [];
  return {
    read: () => (known ??= readDigests(file)),
    add(digests) {
      unsaved.push(...digests);
    },
    async flush() {
      const added = unsaved;
      unsaved = [];
      if (added.length === 0 || !keepsFiles) return;
      if (directoryProblem(path.dirname(file), process.platform) !== undefined) return;
      // Another process may have added some since.
      const all = new Set([...(await readDigests(file)), ...added]);
      await writeFileAtomically(file, JSON.stringify([...all].slice(-mostKept))).catch(() => {});
    },
  };
}

async function readDigests(file: string): Promise<Set<string>> {
  try {
    const { size } = await stat(file);
    const content: unknown = size > maxBytes ? undefined : JSON.parse(await readFile(file, 'utf8'));
    return new Set(Array.isArray(content) ? content.filter((one) => typeof one === 'string') : []);
  } catch {
    return new Set();
  }
}
