import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import { modernRevision } from '../../jsonrpc/revisions.js';
import { bytesOf, textOf } from '../../results/held-bytes.js';
import type { WatchedCall } from './watched-call.js';

/** Answers of ours are shorter. */
const longestOwnAnswer = 16_384;

/** An agent of 2026-07-28 is asked by a result. */
export function questionIn({ caller }: WatchedCall, result: unknown): JsonObject | undefined {
  if (caller.revision < modernRevision) return undefined;
  const bytes = bytesOf(result);
  const text = bytes === undefined ? undefined : textOf(bytes);
  if (text?.includes('"input_required"') === false) return undefined;
  const value: unknown = text === undefined ? result : JSON.parse(text);
  return isRecord(value) && value['resultType'] === 'input_required' ? value : undefined;
}

/** Not without its state: without that, the tool would be called again. */
export function answersTo({ request: { params = {} } }: WatchedCall, { requestState }: JsonObject): boolean {
  return isRecord(params['inputResponses']) && requestState !== undefined && params['requestState'] === requestState;
}

/** Undefined for a result that is too large to be an answer of ours. */
export function smallValue(result: unknown): unknown {
  const bytes = bytesOf(result);
  if (bytes === undefined) return result;
  const length = bytes.reduce((sum, piece) => sum + piece.length, 0);
  return length > longestOwnAnswer ? undefined : JSON.parse(textOf(bytes));
}
