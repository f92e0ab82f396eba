import type { Tool } from '../../contract/types.js';
import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import { longestToolName, maxHiddenValues, maxToolChars, maxToolDepth, maxToolNodes, maxTools } from '../../limits.js';
import { inSlices } from '../../platform/slices.js';
import type { Omission } from '../../results/omissions.js';
import { hasHidden, withoutHidden } from '../../text/hidden.js';
import type { ListedTools } from '../../workbench/ports/tool-cache.js';

/** Collects the tools that one server lists. What is unusable or over a limit is left out and counted. */
export interface Admission {
  /** A listed value, or its JSON. */
  add(listed: unknown): Promise<void>;
  /** Counts what was left out or changed. */
  count(what: Omission, times: number): void;
  result(): ListedTools;
}

/** Whether a tool can be called over this connection. */
export type Admits = (tool: Tool) => boolean;

export function createAdmission(admits: Admits = () => true): Admission {
  const tools: Tool[] = [];
  const omissions: Partial<Record<Omission, number>> = {};
  const names = new Set<string>();
  const slices = inSlices();
  let seen = 0;

  function count(what: Omission, times: number): void {
    if (times > 0) omissions[what] = (omissions[what] ?? 0) + times;
  }

  /** The tool as it is used, or why it is not. */
  function admit(listed: unknown): Tool | Omission {
    if (++seen > maxTools) return 'excess';
    const value = Buffer.isBuffer(listed) ? parsed(listed) : listed;
    if (value === tooLarge) return 'large';
    if (!isTool(value)) return 'malformed';
    if (value.name.length > longestToolName || hasHidden(value.name)) return 'name';
    const { clean, fault } = inspect(value);
    if (fault !== undefined || !isTool(clean)) return fault ?? 'malformed';
    // Two names that a reader cannot tell apart.
    const name = value.name.normalize('NFKC');
    if (names.has(name)) return 'duplicate';
    if (!admits(clean)) return 'headers';
    names.add(name);
    if (clean !== value) count('cleaned', 1);
    return clean;
  }

  return {
    async add(listed) {
      if (slices.isOver()) await slices.next();
      const admitted = admit(listed);
      if (typeof admitted === 'string') count(admitted, 1);
      else tools.push(admitted);
    },
    count,
    result: () => ({ tools, omissions }),
  };
}

const tooLarge = Symbol('too large');

function parsed(bytes: Buffer): unknown {
  if (bytes.length > maxToolChars) return tooLarge;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Whether the value has the required fields of a tool. */
function isTool(value: unknown): value is Tool {
  return isRecord(value) && typeof value['name'] === 'string' && value['name'] !== '' && isRecord(value['inputSchema']);
}

/** What people read. Anything else is used: without a character it would be another value. */
const proseKeys = new Set(['title', 'description', '$comment', 'markdownDescription', 'examples']);

interface Inspected {
  /** The same value, its prose without hidden characters; the same object if there are none. */
  readonly clean: unknown;
  readonly fault: Omission | undefined;
}

/** Measures a value and removes hidden characters from its prose, in one bounded walk. */
function inspect(root: unknown): Inspected {
  let chars = 0;
  let nodes = 0;
  let separators = 0;
  let fault: Omission | undefined;

  function text(value: string): string {
    chars += value.length + 2;
    if (chars <= maxToolChars) return withoutHidden(value);
    fault ??= 'large';
    return value;
  }

  /** A hidden character alone may be a choice, such as a separator; many of them could be a text. */
  function used(value: string): string {
    if (text(value) !== value && (value.length > 1 || ++separators > maxHiddenValues)) fault ??= 'name';
    return value;
  }

  function walk(value: unknown, key: string, depth: number): unknown {
    nodes++;
    chars += 2;
    if (chars > maxToolChars || nodes > maxToolNodes || depth > maxToolDepth) fault ??= 'large';
    if (fault !== undefined) return value;
    if (typeof value === 'string') return proseKeys.has(key) ? text(value) : used(value);
    if (Array.isArray(value)) return walkList(value, key, depth);
    return isRecord(value) ? walkRecord(value, depth) : value;
  }

  function walkList(list: readonly unknown[], key: string, depth: number): unknown {
    let changed: unknown[] | undefined;
    for (let at = 0; at < list.length && fault === undefined; at++) {
      const clean = walk(list[at], key, depth + 1);
      if (clean !== list[at]) (changed ??= [...list])[at] = clean;
    }
    return changed ?? list;
  }

  function walkRecord(record: JsonObject, depth: number): unknown {
    let changed: Map<string, unknown> | undefined;
    for (const key of Object.keys(record)) {
      // A property must keep its name to be usable, so such a tool is left out as a whole.
      if (text(key) !== key) fault ??= 'name';
      if (fault !== undefined) return record;
      const clean = walk(record[key], key, depth + 1);
      if (clean !== record[key]) (changed ??= new Map(Object.entries(record))).set(key, clean);
    }
    // Also right for a key `__proto__`.
    return changed === undefined ? record : Object.fromEntries(changed);
  }

  return { clean: walk(root, '', 1), fault };
}
