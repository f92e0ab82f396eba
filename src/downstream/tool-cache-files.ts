import { existsSync } from 'node:fs';
import { readdir, readFile, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import type { ServerConfig, ServerTarget } from '../config/config.js';
import { isRecord } from '../jsonrpc/json.js';
import { maxCachedToolsBytes } from '../limits.js';
import { removeStaleTemporaries, writeFileAtomically } from '../platform/atomic-file.js';
import { sha256 } from '../platform/crypto.js';
import { resultWithin } from '../platform/time-limit.js';
import type { KnownTools, ToolCache } from '../workbench/ports/tool-cache.js';
import { isTool } from './protocol/tools.js';

const keptForMs = 7 * 24 * 3_600_000;
// Writing can wait until servers have started.
const gatherMs = 1_000;
const readLimitMs = 500;

/**
 * One file per server in the user's cache, named by a digest of how the server is reached: another command, argument
 * or variable is another server. A file that is damaged or too old counts as missing.
 */
export function createToolCacheFiles(directory: string): ToolCache {
  const waiting = new Map<string, KnownTools>();
  const readings = new Set<Promise<KnownTools | undefined>>();
  let timer: NodeJS.Timeout | undefined;
  let pruned: Promise<void> | undefined;

  async function write(file: string, known: KnownTools): Promise<void> {
    const text = JSON.stringify({ at: Date.now(), ...known });
    if (text.length > maxCachedToolsBytes) return;
    await writeFileAtomically(file, text);
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const entries = [...waiting];
    waiting.clear();
    // The cache is optional: without it tools are listed when their server has started.
    // One after the other, so that a hundred servers do not take a hundred descriptors.
    for (const [file, known] of entries) await write(file, known).catch(() => {});
    pruned ??= prune(directory).catch(() => {});
    await Promise.all([pruned, ...readings]);
  }

  const fileOf = ({ target }: ServerConfig) => path.join(directory, `${digestOf(target)}.json`);

  return {
    async get(server) {
      const file = fileOf(server);
      // Usually there is none, and an error costs more than this check.
      if (!existsSync(file)) return undefined;
      const reading = read(file).finally(() => readings.delete(reading));
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

async function read(file: string): Promise<KnownTools | undefined> {
  try {
    // Reading a FIFO would block a thread until another process writes to it.
    return (await stat(file)).isFile() ? parse(await readFile(file, 'utf8')) : undefined;
  } catch {
    return undefined;
  }
}

function parse(text: string): KnownTools | undefined {
  const content: unknown = JSON.parse(text);
  if (!isRecord(content) || typeof content['at'] !== 'number' || !Array.isArray(content['tools'])) return undefined;
  const age = Date.now() - content['at'];
  if (age < 0 || age > keptForMs) return undefined;
  const { instructions } = content;
  return {
    tools: content['tools'].filter(isTool),
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}

// A digest, not the values: they may be secrets.
function digestOf(target: ServerTarget): string {
  const facts =
    target.kind === 'stdio'
      ? [target.command, target.args, inOrder(target.env), target.cwd]
      : target.kind === 'remote'
        ? [target.url, inOrder(target.headers)]
        : [];
  return sha256(JSON.stringify([target.kind, facts]));
}

function inOrder(entries: ReadonlyMap<string, string>): [string, string][] {
  return [...entries].sort(([one], [other]) => (one < other ? -1 : 1));
}
