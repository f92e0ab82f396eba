import type { PackageVersion } from '../../contract/package-version.js';
import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import { mapInSlices } from '../../platform/slices.js';
import { isParsable } from './json-complexity.js';
import { inKeyOrder } from './locked-tool.js';
import type { ServerNames } from './tool-lock.js';

/** The content of a lock file. */
export interface LockDocument {
  readonly servers: readonly LockedServer[];
}

export interface LockedServer extends ServerNames {
  readonly package?: PackageVersion;
  readonly instructions?: { readonly sha256: string; readonly text: string };
  readonly tools: readonly LockedTool[];
}

export interface LockedTool {
  readonly sha256: string;
  /** What was approved, for people; the digest is that of this copy. */
  readonly tool: JsonObject & { readonly name: string };
}

const version = 1;

export const emptyLock: LockDocument = { servers: [] };

/** A text of this length is parsed in no time, whatever it is. */
const harmlessBytes = 2_000_000;

/**
 * The document, or why the text is none. A file that was edited by hand or merged by git may hold anything. `isWalked`: all of it
 * will be, so that it must not be too deep.
 */
export function parseLock(bytes: Buffer, isWalked: boolean): LockDocument | { readonly problem: string } {
  if ((isWalked || bytes.length > harmlessBytes) && !isParsable(bytes)) return { problem: 'it is too complex' };
  let content: unknown;
  try {
    content = JSON.parse(bytes.toString('utf8'));
  } catch {
    return { problem: 'it is not valid JSON' };
  }
  if (!isRecord(content)) return { problem: 'it is not valid JSON' };
  const written = content['version'];
  if (typeof written === 'number' && written > version) return { problem: 'it is of a later version of MCP Workbench' };
  const servers: readonly unknown[] | undefined = Array.isArray(content['servers']) ? content['servers'] : undefined;
  if (written !== version || !servers?.every(isServer)) return { problem: 'it is damaged' };
  const read = servers.map(
    ({ server: [toolbox, server], package: from, instructions, tools }): LockedServer => ({
      ...{ toolbox, server, tools },
      ...(from !== undefined && { package: from }),
      ...(instructions !== undefined && { instructions }),
    }),
  );
  return { servers: read };
}

/**
 * The same content is always the same text: servers and tools are in the order of their names. It is that of `JSON.stringify` with two
 * spaces, made in slices.
 */
export async function printLock({ servers }: LockDocument): Promise<string> {
  const texts: string[] = [];
  for (const { toolbox, server, package: from, instructions, tools } of servers.toSorted(
    (one, other) => compare(one.toolbox, other.toolbox) || compare(one.server, other.server),
  )) {
    const names = { server: [toolbox, server], ...(from && { package: inOrder(from) }) };
    const text = instructions !== undefined && {
      instructions: { sha256: instructions.sha256, text: instructions.text },
    };
    const sorted = tools.toSorted((one, other) => compare(one.tool.name, other.tool.name));
    const entries = await mapInSlices(sorted, ({ sha256, tool }) => printed({ sha256, tool: inKeyOrder(tool) }, 8));
    texts.push(
      printed({ ...names, ...text, tools: [] }, 4).replace(/\[\]\n {4}\}$/, () => `${list(entries, 6)}\n    }`),
    );
  }
  return `{\n  "version": ${version},\n  "servers": ${list(texts, 2)}\n}\n`;
}

/** As a value of a list with so many spaces before each line. */
function printed(value: unknown, spaces: number): string {
  const indent = ' '.repeat(spaces);
  return `${indent}${JSON.stringify(value, undefined, 2).replaceAll('\n', `\n${indent}`)}`;
}

function list(entries: readonly string[], spaces: number): string {
  return entries.length === 0 ? '[]' : `[\n${entries.join(',\n')}\n${' '.repeat(spaces)}]`;
}

export function isOf({ toolbox, server }: ServerNames): (one: ServerNames) => boolean {
  return (one) => one.toolbox === toolbox && one.server === server;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

interface WrittenServer extends Omit<LockedServer, 'toolbox' | 'server'> {
  readonly server: readonly [string, string];
}

function isServer(value: unknown): value is WrittenServer {
  if (!isRecord(value)) return false;
  const { server, package: from, instructions, tools } = value;
  return (
    isPair(server) &&
    (from === undefined || isPackage(from)) &&
    (instructions === undefined || isText(instructions)) &&
    Array.isArray(tools) &&
    tools.every(isTool)
  );
}

function isPair(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && value.every((name) => typeof name === 'string');
}

function isPackage(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { name, version: number, integrity } = value;
  return typeof name === 'string' && typeof number === 'string' && ['string', 'undefined'].includes(typeof integrity);
}

function inOrder({ name, version: number, integrity }: PackageVersion): PackageVersion {
  return { name, version: number, ...(integrity !== undefined && { integrity }) };
}

function isText(value: unknown): boolean {
  return isRecord(value) && typeof value['sha256'] === 'string' && typeof value['text'] === 'string';
}

function isTool(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value['sha256'] === 'string' &&
    isRecord(value['tool']) &&
    typeof value['tool']['name'] === 'string'
  );
}
