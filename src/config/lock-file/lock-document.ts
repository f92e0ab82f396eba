import type { PackageVersion } from '../../contract/package-version.js';
import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import { isParsable } from './json-complexity.js';
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
  /** What was approved, for people; the digest is that of this copy. Only the name, where the server lists too much. */
  readonly tool: JsonObject & { readonly name: string };
}

export const lockVersion = 1;

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
  if (typeof written === 'number' && written > lockVersion)
    return { problem: 'it is of a later version of MCP Workbench' };
  const servers: readonly unknown[] | undefined = Array.isArray(content['servers']) ? content['servers'] : undefined;
  if (written !== lockVersion || !servers?.every(isServer)) return { problem: 'it is damaged' };
  const read = servers.map(
    ({ server: [toolbox, server], package: from, instructions, tools }): LockedServer => ({
      ...{ toolbox, server, tools },
      ...(from !== undefined && { package: from }),
      ...(instructions !== undefined && { instructions }),
    }),
  );
  return { servers: read };
}

export function isOf({ toolbox, server }: ServerNames): (one: ServerNames) => boolean {
  return (one) => one.toolbox === toolbox && one.server === server;
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
  // npm is asked for it: anything else could lead it to another package, e.g. `npm:other@1` or an address.
  const isNamed = typeof name === 'string' && /^(?:@[\w.~-]+\/)?[\w~][\w.~-]*$/.test(name);
  const isExact = typeof number === 'string' && /^\d+\.\d+\.\d+[\w.+-]*$/.test(number);
  return isNamed && isExact && ['string', 'undefined'].includes(typeof integrity);
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
