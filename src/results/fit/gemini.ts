import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import { bytesOf, type HeldResult, type Pieces, textOf } from '../held-bytes.js';

const emptyStructure = { structuredContent: {} };

/**
 * Gemini CLI takes the first block of a result without structured content for that if it is JSON, and fails the call if it is
 * no object. It does not show structured content, so an empty one repairs this.
 */
export function forGemini(given: unknown): unknown {
  const bytes = bytesOf(given);
  const value: unknown = bytes === undefined ? given : JSON.parse(textOf(bytes));
  if (!isRecord(value) || !needsStructure(value)) return given;
  return bytes === undefined ? { ...value, ...emptyStructure } : withStructure(bytes);
}

function needsStructure({ content, structuredContent }: JsonObject): boolean {
  if (structuredContent !== undefined || !Array.isArray(content)) return false;
  const first: unknown = content[0];
  const text = isRecord(first) && first['type'] === 'text' ? first['text'] : undefined;
  return typeof text === 'string' && /^\s*[^{\s]/.test(text) && isJson(text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function withStructure(bytes: Pieces): HeldResult {
  const text = textOf(bytes).trimEnd();
  const pieces = [`${text.slice(0, -1)},${JSON.stringify(emptyStructure).slice(1)}`];
  return { bytes: () => pieces };
}
