import { type OutputUnit, type SchemaDraft, Validator } from '@cfworker/json-schema';
import type { Tool } from '../contract/types.js';
import { shorten } from '../text/shorten.js';
import { signatureOf } from './listing/signature.js';

const maxShown = 10;
const longestText = 1_500;
const longestSignature = 600;

/** Keywords whose errors only repeat a nested error. */
const containers = new Set([
  'properties',
  'patternProperties',
  'additionalProperties',
  'items',
  'prefixItems',
  '$ref',
  'allOf',
  'then',
  'else',
]);

/** How arguments violate their tool's input schema; undefined if they do not, or if the schema is unusable. */
export function violations(tool: Tool, args: Readonly<Record<string, unknown>>): string | undefined {
  const errors = validate(tool.inputSchema, args);
  const specific = errors.filter(({ keyword }) => !containers.has(keyword));
  const lines = new Set((specific.length > 0 ? specific : errors).map(describe));
  if (lines.size === 0) return undefined;
  const shown = [...lines].slice(0, maxShown);
  const more = lines.size > maxShown ? `; and ${lines.size - maxShown} more` : '';
  const signature = `. Signature: ${signatureOf(tool, longestSignature)}`;
  const text = `The arguments do not match the input schema of tool '${shorten(tool.name, 100)}': ${shown.join('; ')}${more}`;
  return `${shorten(text, longestText - signature.length)}${signature}`;
}

function validate(schema: Tool['inputSchema'], args: Readonly<Record<string, unknown>>): readonly OutputUnit[] {
  try {
    return new Validator(schema, draftOf(schema['$schema']), false).validate(args).errors;
  } catch {
    // Servers send schemas that are invalid or contain broken references.
    return [];
  }
}

function draftOf(uri: unknown): SchemaDraft {
  if (typeof uri !== 'string') return '2020-12';
  if (uri.includes('draft-04')) return '4';
  if (uri.includes('draft-07') || uri.includes('draft-06')) return '7';
  return uri.includes('2019-09') ? '2019-09' : '2020-12';
}

function describe({ instanceLocation, error }: OutputUnit): string {
  const place = instanceLocation.replace(/^#\/?/, '');
  return place === '' ? error : `${place}: ${error}`;
}
