import type { ToolIdentifier } from '../contract/types.js';
import { isRecord } from '../jsonrpc/json.js';
import type { RpcRequest } from '../jsonrpc/messages.js';
import { clientResults } from '../limits.js';
import type { ShownLimit } from '../results/fit/measure.js';
import { bytesOf } from '../results/held-bytes.js';
import { leastResultBudget } from '../results/limits.js';
import type { Caller } from './caller.js';

/** A call whose result may have to change. */
export interface FittedCall {
  readonly request: RpcRequest;
  readonly caller: Caller;
  readonly isGemini: boolean;
  /** What its client shows of a result of a tool; undefined if that is not known. */
  readonly limit: ShownLimit | undefined;
  /** The field `result` of `use_tool`, which is checked where the calls run; undefined or null if it has none. */
  readonly wanted: unknown;
}

/** Undefined if its result is sent as it comes. `budget`: the setting `resultBudgetChars`. */
export function fittedCall(request: RpcRequest, caller: Caller, budget: number | undefined): FittedCall | undefined {
  const { method, params = {} } = request;
  if (method !== 'tools/call') return undefined;
  const family = familyOf(caller.client?.name ?? '');
  const isUse = params['name'] === 'use_tool';
  const limit = isUse ? shownLimit(family, budget) : undefined;
  const wanted = isUse && isRecord(params['arguments']) ? params['arguments']['result'] : undefined;
  const isGemini = family.startsWith('gemini');
  if (!isGemini && limit === undefined && (wanted ?? undefined) === undefined) return undefined;
  return { request, caller, isGemini, limit, wanted };
}

/** Gemini CLI and Qwen Code add the name that the server has in their file. */
export function familyOf(name: string): string {
  // Asked for twice with every call, nearly always of the same client.
  if (name !== last.name) last = { name, family: /^(?:gemini|qwen)-cli-mcp-client(?=-|$)/.exec(name)?.[0] ?? name };
  return last.family;
}

let last = { name: '', family: '' };

function shownLimit(client: string, budget: number | undefined): ShownLimit | undefined {
  const known = Object.hasOwn(clientResults, client) ? clientResults[client] : undefined;
  if (budget === undefined) return known;
  if (budget === 0) return undefined;
  return { counts: 'both', ...known, chars: Math.max(budget, leastResultBudget), isConfigured: true };
}

/** Whether the result is sent as it came, as far as its length tells: it has at most as many characters as bytes. */
export function isPlainlyShown({ isGemini, limit, wanted }: FittedCall, result: unknown): boolean {
  if (isGemini || limit === undefined || (wanted ?? undefined) !== undefined) return false;
  const bytes = bytesOf(result);
  if (bytes !== undefined) return bytes.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0) <= limit.chars;
  // A value. Of one text no client counts more than six characters for each.
  if (!isRecord(result) || 'structuredContent' in result || !Array.isArray(result['content'])) return false;
  const blocks: readonly unknown[] = result['content'];
  const [block] = blocks;
  const text = isRecord(block) ? block['text'] : undefined;
  return blocks.length === 1 && typeof text === 'string' && 6 * text.length + 300 <= limit.chars;
}

/** The tool that a call of `use_tool` names; undefined if it names none. */
export function toolIn({ params = {} }: RpcRequest): ToolIdentifier | undefined {
  const tool = isRecord(params['arguments']) ? params['arguments']['tool'] : undefined;
  if (!isRecord(tool)) return undefined;
  const { toolbox, server, name } = tool;
  return typeof toolbox === 'string' && typeof server === 'string' && typeof name === 'string'
    ? { toolbox, server, name }
    : undefined;
}
