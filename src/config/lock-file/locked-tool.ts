import type { Tool } from '../../contract/types.js';
import { canonicalJson } from '../../jsonrpc/canonical-json.js';
import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import { sha256 } from '../../platform/crypto.js';
import type { ApprovedTool } from './tool-lock.js';

/** A value of JSON whose objects have their keys in order. */
type Ordered = unknown;

const fields = ['name', 'title', 'description', 'inputSchema', 'outputSchema'] as const;
const hints = ['title', 'readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;
const taskSupports: ReadonlySet<unknown> = new Set(['required', 'optional', 'forbidden']);

const hashes = new WeakMap<Tool, string>();
const views = new WeakMap<Tool, Tool>();

/** What is locked of a tool: what an agent reads of it, and how it is called. `_meta` and icons are not. */
export function lockedCopy(tool: JsonObject): JsonObject {
  const annotations = isRecord(tool['annotations']) ? picked(tool['annotations'], hints) : {};
  return { ...(Object.keys(annotations).length > 0 && { annotations }), ...picked(tool, fields) };
}

/**
 * Whether what is locked of a tool is what was approved. Compared without a digest: most listings are equal to the copy, and
 * digests of hundreds of tools take longer than everything else.
 */
export function isApprovedTool(tool: Tool, { copy, sha256: digest }: ApprovedTool): boolean {
  if (isDigestOnly(copy)) return toolHash(tool) === digest;
  const [own, other] = [hintsIn(tool), hintsIn(copy)];
  const isEqual =
    hints.every((hint) => equal(own[hint], other[hint])) && fields.every((field) => equal(tool[field], copy[field]));
  // It need not be worked out again, e.g. for the cache.
  if (isEqual && digest !== undefined && !hashes.has(tool)) hashes.set(tool, digest);
  return isEqual;
}

/** Whether the lock has only the digest of a tool: every tool has a schema. */
export function isDigestOnly(copy: JsonObject): boolean {
  return copy['inputSchema'] === undefined;
}

function hintsIn({ annotations }: JsonObject): JsonObject {
  return isRecord(annotations) ? annotations : {};
}

/** Of JSON; no deeper than the shallower of the two. Without closures: every value of every listing goes through here. */
function equal(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false;
    for (let index = 0; index < one.length; index++) if (!equal(one[index], other[index])) return false;
    return true;
  }
  if (!isRecord(one) || !isRecord(other)) return isNull(one) && isNull(other);
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  for (const key of keys) if (!Object.hasOwn(other, key) || !equal(one[key], other[key])) return false;
  return true;
}

/** As JSON: a number such as 1e999 is read as Infinity, and written as null. */
function isNull(value: unknown): boolean {
  return value === null || (typeof value === 'number' && !Number.isFinite(value));
}

/** The digest of what is locked. The order of keys does not matter. Remembered for each object. */
export function toolHash(tool: Tool): string {
  let hash = hashes.get(tool);
  if (hash === undefined) hashes.set(tool, (hash = copyHash(lockedCopy(tool))));
  return hash;
}

export function copyHash(copy: JsonObject): string {
  return sha256(canonicalJson(copy));
}

/** Of the instructions of a server. */
export function textHash(text: string): string {
  return sha256(text);
}

/** The tool with nothing but what is locked, so that no other field can carry a text to the agent. */
export function lockedView(tool: Tool): Tool {
  const known = views.get(tool);
  if (known !== undefined) return known;
  const { name, inputSchema } = tool;
  const { execution } = tool;
  const taskSupport = isRecord(execution) ? execution['taskSupport'] : undefined;
  const view = {
    name,
    inputSchema,
    ...lockedCopy(tool),
    ...(taskSupports.has(taskSupport) && { execution: { taskSupport } }),
  };
  views.set(tool, view);
  return view;
}

/** Fields that are undefined or missing are left out. */
function picked(from: JsonObject, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));
}

/** The same value with the keys of all objects in order, as far as objects can keep it. */
export function inKeyOrder(value: unknown): Ordered {
  if (Array.isArray(value)) return value.map(inKeyOrder);
  if (!isRecord(value)) return value;
  // Also right for a key `__proto__`.
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, inKeyOrder(value[key])]),
  );
}
