import { isRecord } from '../../jsonrpc/json.js';

/** The searchable text of a tool's input schema. */
export interface ParameterText {
  readonly names: string;
  readonly descriptions: string;
}

// Schemas are untrusted: some are recursive, some are 77 KB. The first part is enough for search.
const maxNodes = 400;
const maxCharacters = 6000;
const maxEnumValues = 20;

const holdsOneOrMany = new Set(['items', 'prefixItems', 'anyOf', 'oneOf', 'allOf', 'additionalProperties']);
const holdsByName = new Set(['properties', 'patternProperties', '$defs', 'definitions']);

/** Names and descriptions of all parameters, nested ones included, from the outermost inwards, and bounded. */
export function parameterText(inputSchema: unknown): ParameterText {
  const names: string[] = [];
  const descriptions: unknown[] = [];
  // Breadth first, so that a large schema loses its innermost part.
  const queue: unknown[] = [inputSchema];
  for (let at = 0; at < queue.length && at < maxNodes; at++) {
    const schema = queue[at];
    if (!isRecord(schema)) continue;
    // The top-level description repeats the tool's.
    if (at > 0) descriptions.push(schema.title, schema.description, ...listOf(schema.enum).slice(0, maxEnumValues));
    names.push(...Object.keys(recordOf(schema.properties)).slice(0, maxNodes));
    for (const [keyword, value] of Object.entries(schema)) {
      if (holdsByName.has(keyword)) queue.push(...Object.values(recordOf(value)).slice(0, maxNodes));
      else if (holdsOneOrMany.has(keyword)) queue.push(...(Array.isArray(value) ? listOf(value) : [value]));
    }
  }
  return { names: joined(names), descriptions: joined(descriptions) };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, maxNodes) : [];
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

function joined(texts: readonly unknown[]): string {
  let text = '';
  for (const part of texts) {
    if (text.length >= maxCharacters) break;
    if (typeof part === 'string') text += ` ${part.slice(0, maxCharacters)}`;
  }
  return text.slice(0, maxCharacters);
}
