import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import { maxCheckDepth, maxCheckSteps, maxFollowedReferences } from '../../limits.js';
import { shorten } from '../../text/shorten.js';
import { resolveReference } from '../listing/reference.js';

/** A fault of the arguments: where, as a JSON pointer without its first slash, and what. */
export interface ArgumentFault {
  readonly place: string;
  readonly fault: { readonly missing: string } | { readonly is: string };
}

const typeNames: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']);
const longestKey = 100;
const longestValue = 60;
const longestChoices = 300;
const maxChoices = 50;
/** More are not shown, and each is a text. */
const maxFaults = 100;

/**
 * Checks arguments against a schema, which is a server's and may be made to hang a validator. Only `required`, `type`, `enum`,
 * `properties`, `items`, `additionalProperties` and local references are read, never a regular expression, within limits
 * of depth and steps. So it may miss faults, but a fault it reports is one for any validator.
 */
export function checkArguments(root: JsonObject, args: unknown): readonly ArgumentFault[] {
  const faults: ArgumentFault[] = [];
  const targets = new Map<string, unknown>();
  let steps = 0;

  /** Whether one more step may be taken. */
  const mayGoOn = () => ++steps <= maxCheckSteps && faults.length < maxFaults;

  const report = (place: string, is: string) => void faults.push({ place, fault: { is } });

  function check(schema: unknown, value: unknown, place: string, depth: number): void {
    if (!mayGoOn() || depth > maxCheckDepth) return;
    const followed = follow(schema);
    if (followed === false) report(place, 'no value is allowed here');
    if (!isRecord(followed)) return;
    checkType(followed, value, place);
    if (Array.isArray(followed['enum'])) checkChoices(followed['enum'], value, place);
    if (Array.isArray(value)) checkItems(followed, value, place, depth);
    else if (isRecord(value)) checkMembers(followed, value, place, depth);
  }

  /** The schema that a reference leads to. What stands beside a reference is not checked: older drafts ignore it. */
  function follow(schema: unknown): unknown {
    let found = schema;
    for (let hops = 0; isRecord(found); hops++) {
      // References inside are relative to it.
      if (found !== root && (typeof found['$id'] === 'string' || typeof found['id'] === 'string')) return undefined;
      const reference = found['$ref'];
      if (reference === undefined) return found;
      if (typeof reference !== 'string' || hops === maxFollowedReferences) return undefined;
      if (!targets.has(reference)) targets.set(reference, resolveReference(root, reference));
      found = targets.get(reference);
      if (!mayGoOn()) return undefined;
    }
    return found;
  }

  function checkType({ type, nullable }: JsonObject, value: unknown, place: string): void {
    const types = (Array.isArray(type) ? type : [type]).slice(0, typeNames.size);
    // An unknown type, as some servers invent, allows anything.
    if (!types.every((one) => typeNames.has(one)) || (nullable === true && value === null)) return;
    const own = typeOf(value);
    if (types.some((one) => one === own || (one === 'integer' && Number.isInteger(value)))) return;
    report(place, `expected ${types.join(' or ')}, got ${shown(value)}`);
  }

  function checkChoices(choices: readonly unknown[], value: unknown, place: string): void {
    for (const choice of choices) {
      // Objects are not compared: that could take as long as they are large.
      if (choice === value || (typeof choice === 'object' && choice !== null) || !mayGoOn()) return;
    }
    const listed = choices.slice(0, maxChoices).map(shown);
    if (choices.length > maxChoices) listed.push('…');
    report(place, `expected one of ${shorten(listed.join(', '), longestChoices)}, got ${shown(value)}`);
  }

  function checkItems(
    { items, prefixItems }: JsonObject,
    value: readonly unknown[],
    place: string,
    depth: number,
  ): void {
    const first = Array.isArray(prefixItems) ? prefixItems.length : 0;
    const end = Array.isArray(items) ? Math.min(items.length, value.length) : value.length;
    for (let at = first; at < end && mayGoOn(); at++) {
      check(Array.isArray(items) ? items[at] : items, value[at], inside(place, String(at)), depth + 1);
    }
  }

  function checkMembers(schema: JsonObject, value: JsonObject, place: string, depth: number): void {
    const { required, patternProperties, additionalProperties } = schema;
    for (const name of Array.isArray(required) ? required : []) {
      if (!mayGoOn()) return;
      if (typeof name !== 'string' || Object.hasOwn(value, name)) continue;
      faults.push({ place, fault: { missing: inside(place, name) } });
    }
    const properties = isRecord(schema['properties']) ? schema['properties'] : {};
    // A pattern may match any other property.
    const others = patternProperties === undefined ? additionalProperties : true;
    for (const key of Object.keys(value)) {
      if (!mayGoOn()) return;
      const isNamed = Object.hasOwn(properties, key);
      if (!isNamed && others === false) {
        report(place, `unknown property '${shorten(key, longestKey)}'`);
      } else {
        check(isNamed ? properties[key] : others, value[key], inside(place, key), depth + 1);
      }
    }
  }

  check(root, args, '', 0);
  return faults;
}

/** A value in a message. Of an object only its kind: it may be as large as a message. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(shorten(value, longestValue));
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function inside(place: string, key: string): string {
  const step = shorten(key, longestKey).replaceAll('~', '~0').replaceAll('/', '~1');
  return place === '' ? step : `${place}/${step}`;
}
