import { isRecord } from '../jsonrpc/json.js';

const maxSamples = 40;
const maxKeys = 200;
export const longestChoice = 24;
/** One more than are shown, to see that there are more. */
const maxKnownChoices = 5;
/** An object with more keys whose values are alike is a table. */
const maxFields = 30;
/** Values that are looked at. */
const maxVisits = 20_000;
const maxLevels = 9;

/** What is known of the values in one place, merged over all samples. */
export class Shape {
  seen = 0;
  nulls = 0;
  booleans = 0;
  numbers = 0;
  strings = 0;
  links = 0;
  longest = 0;
  /** Short strings. */
  readonly choices = new Set<string>();
  readonly lists = new Lists();
  readonly objects = new Objects();

  /** How many of the types of JSON it has, without null. */
  get kinds(): number {
    const counts = [this.booleans, this.numbers, this.strings, this.lists.count, this.objects.count];
    return counts.filter((count) => count > 0).length;
  }
}

class Lists {
  count = 0;
  most = 0;
  least = Number.MAX_SAFE_INTEGER;
  #item: Shape | undefined;

  item(): Shape {
    this.#item ??= new Shape();
    return this.#item;
  }
}

class Objects {
  count = 0;
  most = 0;
  /** Some keys were left out. */
  isCut = false;
  readonly keys = new Map<string, Shape>();
  /** All values of all objects as those of one place. */
  #values: Shape | undefined;

  values(): Shape {
    this.#values ??= new Shape();
    return this.#values;
  }

  /** If it is a table: a few of its keys, and what their values have in common. */
  table(): { readonly names: readonly string[]; readonly value: Shape } | undefined {
    const value = this.values();
    if (this.most <= maxFields || value.kinds > 1) return undefined;
    const { count, keys } = value.objects;
    const uses = [...keys.values()].reduce((sum, { seen }) => sum + seen, 0);
    // Objects are alike if each has a quarter of the keys of all of them; many keys are optional.
    if (count > 1 && uses < (keys.size * count) / 4) return undefined;
    return { names: [...this.keys.keys()].slice(0, 2), value };
  }
}

/** The shape of a value, from a sample of its parts. */
export function mergedShape(value: unknown): Shape {
  let visits = 0;
  const root = new Shape();
  const add = (shape: Shape, sample: unknown, level: number): void => {
    if (visits++ > maxVisits) return;
    shape.seen++;
    if (sample === null) shape.nulls++;
    else if (typeof sample === 'boolean') shape.booleans++;
    else if (typeof sample === 'number') shape.numbers++;
    else if (typeof sample === 'string') addString(shape, sample);
    else if (Array.isArray(sample)) addList(shape.lists, sample, level);
    else if (isRecord(sample)) addObject(shape.objects, sample, level);
  };
  const addList = (lists: Lists, items: readonly unknown[], level: number): void => {
    lists.count++;
    lists.most = Math.max(lists.most, items.length);
    lists.least = Math.min(lists.least, items.length);
    if (level < maxLevels) for (const item of items.slice(0, maxSamples)) add(lists.item(), item, level + 1);
  };
  const addObject = (objects: Objects, object: Record<string, unknown>, level: number): void => {
    const keys = Object.keys(object);
    objects.count++;
    objects.most = Math.max(objects.most, keys.length);
    if (level === maxLevels) return;
    if (keys.length > maxFields)
      for (const key of keys.slice(0, maxSamples)) add(objects.values(), object[key], level + 1);
    for (const key of keys.slice(0, maxKeys)) {
      const known = objects.keys.get(key) ?? new Shape();
      if (known.seen === 0 && objects.keys.size >= maxKeys) continue;
      objects.keys.set(key, known);
      add(known, object[key], level + 1);
    }
    objects.isCut ||= objects.most > objects.keys.size;
  };
  add(root, value, 0);
  return root;
}

function addString(shape: Shape, text: string): void {
  shape.strings++;
  shape.longest = Math.max(shape.longest, text.length);
  if (/^https?:\/\//.test(text)) shape.links++;
  if (shape.choices.size < maxKnownChoices && text.length <= longestChoice) shape.choices.add(text);
}
