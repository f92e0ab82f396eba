import { closeSync, constants, openSync, readSync } from 'node:fs';
import { sep } from 'node:path';
import type { PackageVersion } from '../../contract/package-version.js';
import type { Tool } from '../../contract/types.js';
import { isRecord } from '../../jsonrpc/json.js';
import type { CachedServer } from '../../workbench/ports/tool-cache.js';

/** What is known about the tools of a server without reading them. */
export interface ToolSummary {
  /** When they were listed, in ms since 1970. */
  readonly at: number;
  readonly tools: readonly SummarizedTool[];
  /** What the server was started from, if npm was asked for it. */
  readonly package?: PackageVersion | undefined;
}

/** With the hints that rules depend on. Without them it counts as one that may destroy something. */
type SummarizedTool = Pick<Tool, 'name' | 'annotations'> & {
  readonly tokens: number;
  /** Of what is locked of it; files of earlier versions have none. */
  readonly digest?: string;
};

const hintsByWord = { reads: { readOnlyHint: true }, adds: { destructiveHint: false } } as const;

/** As a word, which is empty for most tools. */
export function hintsOf({ annotations }: Pick<Tool, 'annotations'>): string {
  if (annotations?.readOnlyHint === true) return 'reads';
  return annotations?.destructiveHint === false ? 'adds' : '';
}

const chunkBytes = 16_384;
const maxHeadBytes = 8_000_000;
const newline = 10;

/** Reads the first line of a cache file: a list of many servers must be there at once. Undefined if there is none. */
export function readToolSummary(directory: string, { cacheKey }: CachedServer): ToolSummary | undefined {
  let descriptor: number | undefined;
  try {
    // A FIFO without a writer has nothing to read then, and is no JSON.
    descriptor = openSync(`${directory}${sep}${cacheKey}.json`, constants.O_RDONLY | constants.O_NONBLOCK);
    return summaryIn(JSON.parse(firstLine(descriptor)));
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function firstLine(descriptor: number): string {
  const chunks: Buffer[] = [];
  // Most heads are in the first one.
  for (let length = 0; length < maxHeadBytes; ) {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    const count = readSync(descriptor, chunk);
    const read = chunk.subarray(0, count);
    const end = read.indexOf(newline);
    chunks.push(end === -1 ? read : read.subarray(0, end));
    if (end !== -1 || count === 0) break;
    length += count;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function summaryIn(head: unknown): ToolSummary | undefined {
  if (!isRecord(head)) return undefined;
  const { at, index } = head;
  if (typeof at !== 'number' || at > Date.now() || !Array.isArray(index)) return undefined;
  const tools = index.flatMap((entry: unknown) => {
    const pair: readonly unknown[] = Array.isArray(entry) ? entry : [];
    const [name, tokens, hints, digest] = pair;
    if (typeof name !== 'string' || typeof tokens !== 'number') return [];
    const annotations = hints === 'reads' || hints === 'adds' ? hintsByWord[hints] : undefined;
    return [{ name, tokens, ...(annotations && { annotations }), ...(typeof digest === 'string' && { digest }) }];
  });
  return { at, tools, package: packageIn(head['package']) };
}

function packageIn(value: unknown): PackageVersion | undefined {
  if (!isRecord(value)) return undefined;
  const { name, version, integrity, at } = value;
  if (typeof name !== 'string' || typeof version !== 'string') return undefined;
  const digest = typeof integrity === 'string' && { integrity };
  return { name, version, ...digest, ...(typeof at === 'number' && { at }) };
}
