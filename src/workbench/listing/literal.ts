import { shorten } from '../../text/shorten.js';

const longestString = 60;
const maxItems = 8;
const deepest = 2;

/** A value of a schema (a default, a constant, a choice) as JSON, cut where it becomes long or deep. */
export function literal(value: unknown, depth = deepest): string {
  if (typeof value === 'string') return JSON.stringify(shorten(value, longestString).toWellFormed());
  if (typeof value !== 'object' || value === null) return String(value);
  const isList = Array.isArray(value);
  const entries = Object.entries(isList ? value.slice(0, maxItems + 1) : value);
  if (entries.length === 0) return isList ? '[]' : '{}';
  if (depth === 0) return isList ? '[…]' : '{…}';
  const shown = entries
    .slice(0, maxItems)
    .map(([key, item]) => (isList ? '' : `${literal(key)}: `) + literal(item, depth - 1));
  if (entries.length > maxItems) shown.push('…');
  return isList ? `[${shown.join(', ')}]` : `{${shown.join(', ')}}`;
}
