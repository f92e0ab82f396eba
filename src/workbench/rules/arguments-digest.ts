import { canonicalJson } from '../../jsonrpc/canonical-json.js';
import { sha256 } from '../../platform/crypto.js';

/** Of a value of JSON; the order of keys does not matter. Undefined if it is nested too deeply. */
export function digestOf(value: unknown): string | undefined {
  try {
    return sha256(canonicalJson(value));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
