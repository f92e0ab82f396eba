import type { PackageVersion } from '../../contract/package-version.js';
import { maxLockBytes, maxLockedServerBytes } from '../../limits.js';
import { inSlices } from '../../platform/slices.js';
import { type LockDocument, type LockedServer, lockVersion } from './lock-document.js';
import { inKeyOrder } from './locked-tool.js';

/**
 * The same content is always the same text, here in pieces: servers and tools are in the order of their names. It is that of
 * `JSON.stringify` with two spaces, made in slices. Of servers that would take too much of it there are only digests; throws if
 * even these are too much.
 */
export async function printLock({ servers }: LockDocument): Promise<readonly string[]> {
  const parts: PrintedServer[] = [];
  for (const server of servers.toSorted(
    (one, other) => compare(one.toolbox, other.toolbox) || compare(one.server, other.server),
  )) {
    const pieces = (await printServer(server)) ?? (await printServer(withoutCopies(server), maxLockBytes));
    if (pieces === undefined) throw new Error(tooLarge);
    parts.push({ server, pieces, size: sizeOf(pieces) });
  }
  await fit(parts);
  const texts = parts.flatMap(({ pieces }, index) => (index === 0 ? pieces : [',\n', ...pieces]));
  const list = texts.length === 0 ? ['[]'] : ['[\n', ...texts, '\n  ]'];
  return [`{\n  "version": ${lockVersion},\n  "servers": `, ...list, '\n}\n'];
}

interface PrintedServer {
  readonly server: LockedServer;
  pieces: readonly string[];
  size: number;
}

const tooLarge = `it would be larger than ${maxLockBytes / 1_000_000} MB`;
const envelopeBytes = 1_000;

/** The largest lose their copies first, until all of them together are small enough to be read again. */
async function fit(parts: readonly PrintedServer[]): Promise<void> {
  let size = parts.reduce((sum, one) => sum + one.size + 2, envelopeBytes);
  for (const one of parts.toSorted((a, b) => b.size - a.size)) {
    if (size <= maxLockBytes) return;
    const pieces = (await printServer(withoutCopies(one.server))) ?? one.pieces;
    size += sizeOf(pieces) - one.size;
    Object.assign(one, { pieces, size: sizeOf(pieces) });
  }
  if (size > maxLockBytes) throw new Error(tooLarge);
}

function sizeOf(pieces: readonly string[]): number {
  return pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
}

function withoutCopies(server: LockedServer): LockedServer {
  return { ...server, tools: server.tools.map(({ sha256, tool: { name } }) => ({ sha256, tool: { name } })) };
}

/** Undefined if it is larger. Never much more than that is printed. */
async function printServer(
  { toolbox, server, package: from, instructions, tools }: LockedServer,
  mostBytes = maxLockedServerBytes,
): Promise<readonly string[] | undefined> {
  const names = { server: [toolbox, server], ...(from && { package: inOrder(from) }) };
  const text = instructions !== undefined && {
    instructions: { sha256: instructions.sha256, text: instructions.text },
  };
  const [head = ''] = printed({ ...names, ...text, tools: [] }, 4).split(/\[\]\n {4}\}$/);
  if (tools.length === 0) return [`${head}[]\n    }`];
  const pieces: string[] = [`${head}[\n`];
  let size = Buffer.byteLength(head);
  const slices = inSlices();
  for (const { sha256, tool } of tools.toSorted((one, other) => compare(one.tool.name, other.tool.name))) {
    if (slices.isOver()) await slices.next();
    const piece = printed({ sha256, tool: inKeyOrder(tool) }, 8);
    size += Buffer.byteLength(piece) + 2;
    if (size > mostBytes) return undefined;
    pieces.push(pieces.length === 1 ? piece : `,\n${piece}`);
  }
  return [...pieces, '\n      ]\n    }'];
}

/** As a value of a list with so many spaces before each line. */
function printed(value: unknown, spaces: number): string {
  const indent = ' '.repeat(spaces);
  return `${indent}${JSON.stringify(value, undefined, 2).replaceAll('\n', `\n${indent}`)}`;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function inOrder({ name, version: number, integrity }: PackageVersion): PackageVersion {
  return { name, version: number, ...(integrity !== undefined && { integrity }) };
}
