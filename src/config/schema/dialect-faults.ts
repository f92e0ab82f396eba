import type { Path } from '../place.js';
import { containerKeys } from './containers.js';
import type { Fault } from './schema-checks.js';
import { givenFor, headersGiven, synonyms, type TimeUnit } from './synonyms.js';
import type { RawEntry } from './transport.js';

/** Keys of one meaning with different values. */
export function synonymFaults(entry: RawEntry, unit: TimeUnit): Fault[] {
  return Object.keys(synonyms).flatMap((ours) => {
    const [first, ...others] = givenFor(ours, entry, unit);
    return others
      .filter(({ value }) => comparable(value) !== comparable(first?.value))
      .map(({ at }) => ({
        what: `${nameOf(at)} and ${nameOf(first?.at)} mean the same and have different values.`,
        remedy: 'Keep one of them.',
        at: at.map(String),
      }));
  });
}

function comparable(value: unknown): string {
  if (!(value instanceof Map)) return JSON.stringify(value) ?? '';
  return JSON.stringify(Array.from(value, ([name, held]) => `${String(name)}\0${String(held)}`).toSorted());
}

/** Headers that several keys set, other than `headers` alone, which has a check of its own. */
export function headerFaults(entry: RawEntry): Fault[] {
  const seen = new Map<string, Path>();
  return headersGiven(entry).flatMap(({ at, name }) => {
    const before = seen.get(name.toLowerCase());
    seen.set(name.toLowerCase(), before ?? at);
    if (before === undefined || (before[0] === 'headers' && at[0] === 'headers')) return [];
    return [
      {
        what: `${nameOf(at)} and ${nameOf(before)} set the same header.`,
        remedy: 'Keep one of them.',
        atKey: true,
        at: at.map(String),
      },
    ];
  });
}

/** Servers stand in one container. `required`: the key that is missing if there is none. */
export function containerFaults(holder: RawEntry, required: string): Fault[] {
  const [first, ...others] = [...new Set([required, ...containerKeys])].filter((key) => holder[key] !== undefined);
  if (first === undefined) return [{ what: 'Required.', remedy: '', at: [required] }];
  const remedy =
    first === 'toolboxes' ? 'Move these servers into a toolbox.' : 'Keep one of them, with all servers in it.';
  return others.map((key) => ({
    what: `There are servers in "${key}" and in "${first}".`,
    remedy,
    atKey: true,
    at: [key],
  }));
}

function nameOf(at: Path | undefined): string {
  return `"${at?.join('.') ?? ''}"`;
}
