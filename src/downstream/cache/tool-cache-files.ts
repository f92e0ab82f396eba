import { existsSync } from 'node:fs';
import { readdir, readFile, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { toolHash } from '../../config/lock-file/locked-tool.js';
import { isRecord } from '../../jsonrpc/json.js';
import { maxCachedToolsBytes, maxToolChars } from '../../limits.js';
import { removeStaleTemporaries, writeFileAtomically } from '../../platform/atomic-file.js';
import { mapInSlices } from '../../platform/slices.js';
import { resultWithin } from '../../platform/time-limit.js';
import { type Omissions, omissionKinds } from '../../results/omissions.js';
import { toolTokens } from '../../results/tool-tokens.js';
import { withoutHidden } from '../../text/hidden.js';
import type { CachedServer, KnownTools, ToolCache } from '../../workbench/ports/tool-cache.js';
import { createAdmission } from '../protocol/admit-tools.js';
import { hintsOf } from './tool-cache-summary.js';

const dayMs = 24 * 3_600_000;
const usedForMs = 7 * dayMs;
/** Commands show also what was known long ago, with its date. */
export const keptForMs = 90 * dayMs;
// Writing can wait until servers have started.
const gatherMs = 1_000;
const readLimitMs = 500;
// Instructions, which are shown in part, and what the server says about itself.
const maxHeadChars = 2_000_000;

/**
 * One file per server in the user's cache, named by its `cacheKey`: another configuration file, name or entry is another
 * server, another environment is not. One line for all of it, with names, tokens, hints and digests of the tools, then one line per tool. A file that is damaged or too old counts as
 * missing; tools are admitted as if the server had listed them now.
 */
export function createToolCacheFiles(directory: string, maxAgeMs: number = usedForMs): ToolCache {
  const waiting = new Map<string, KnownTools>();
  const readings = new Set<Promise<KnownTools | undefined>>();
  let timer: NodeJS.Timeout | undefined;
  let pruned: Promise<void> | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function write(file: string, { tools, ...known }: KnownTools): Promise<void> {
    const index = await mapInSlices(tools, (tool) => [tool.name, toolTokens(tool), hintsOf(tool), toolHash(tool)]);
    const head = JSON.stringify({ at: Date.now(), ...known, index });
    const text = [head, ...(await mapInSlices(tools, (tool) => JSON.stringify(tool)))].join('\n');
    if (text.length > maxCachedToolsBytes) return;
    await writeFileAtomically(file, text);
  }

  async function writeAll(): Promise<void> {
    const entries = [...waiting];
    waiting.clear();
    // The cache is optional: without it tools are listed when their server has started.
    // One after the other, so that a hundred servers do not take a hundred descriptors.
    for (const [file, known] of entries) await write(file, known).catch(() => {});
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    // After what is being written already: the process may end when this has.
    writing = writing.then(writeAll);
    await writing;
    pruned ??= prune(directory).catch(() => {});
    await Promise.all([pruned, ...readings]);
  }

  const fileOf = ({ cacheKey }: CachedServer) => path.join(directory, `${cacheKey}.json`);

  return {
    async get(server) {
      const file = fileOf(server);
      // Usually there is none, and an error costs more than this check.
      if (!existsSync(file)) return undefined;
      const reading = read(file, maxAgeMs).finally(() => readings.delete(reading));
      readings.add(reading);
      // A disk that does not respond must not delay an answer that does not need it.
      return resultWithin(readLimitMs, reading);
    },
    put(server, known) {
      waiting.set(fileOf(server), known);
      timer ??= setTimeout(() => void flush(), gatherMs).unref();
    },
    flush,
  };
}

/** Deletes files that are too old to be used, e.g. of a server whose arguments have changed since. */
async function prune(directory: string): Promise<void> {
  removeStaleTemporaries(directory);
  const oldest = Date.now() - keptForMs;
  await Promise.allSettled(
    (await readdir(directory)).map(async (name) => {
      const file = path.join(directory, name);
      if ((await stat(file)).mtimeMs < oldest) await unlink(file);
    }),
  );
}

async function read(file: string, maxAgeMs: number): Promise<KnownTools | undefined> {
  try {
    // Reading a FIFO would block a thread until another process writes to it.
    const found = await stat(file);
    return found.isFile() && found.size <= 4 * maxCachedToolsBytes
      ? await parse(await readFile(file, 'utf8'), maxAgeMs)
      : undefined;
  } catch {
    return undefined;
  }
}

async function parse(text: string, maxAgeMs: number): Promise<KnownTools | undefined> {
  const [head = '', ...lines] = text.split('\n');
  const content: unknown = head.length > maxHeadChars ? undefined : JSON.parse(head);
  if (!isRecord(content) || typeof content['at'] !== 'number' || 'tools' in content) return undefined;
  const age = Date.now() - content['at'];
  if (age < 0 || age > maxAgeMs) return undefined;
  const { instructions, about, omissions } = content;
  const admission = createAdmission();
  for (const [kind, count] of countsIn(omissions)) admission.count(kind, count);
  for (const line of lines) await admission.add(line.length > maxToolChars * 2 ? undefined : JSON.parse(line));
  return {
    ...admission.result(),
    instructions: textOf(instructions),
    // Files of earlier versions have none.
    about: textOf(about),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? withoutHidden(value) : undefined;
}

function countsIn(omissions: unknown): [keyof Omissions, number][] {
  const counts = isRecord(omissions) ? omissions : {};
  return omissionKinds.flatMap((kind): [keyof Omissions, number][] => {
    const count = counts[kind];
    return typeof count === 'number' ? [[kind, count]] : [];
  });
}
