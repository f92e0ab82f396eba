// Runs in scripts/generate.mjs and in tests; no program loads it.
import type { ObjectShape, Shape } from './shape.js';

/** A shape as a module. Each distinct part is printed once, as a constant: all of it is loaded at every start. */
export function printShape(root: Shape): string {
  const constants = new Map<string, string>();
  const objects = objectsIn(root).toSorted((a, b) => size(b) - size(a));

  const print = (shape: Shape): string => {
    const literal = printObject(printFields(shape));
    const name = constants.get(literal) ?? `${Object.keys(shape)[0]}${constants.size + 1}`;
    constants.set(literal, name);
    return name;
  };

  const printFields = (shape: Shape): Fields => {
    if ('either' in shape) return { either: `[${shape.either.map(print).join(', ')}]` };
    if ('list' in shape) return { ...printPlain(shape), list: print(shape.list) };
    if ('map' in shape) return { ...printPlain(shape), map: print(shape.map), names: print(shape.names) };
    if ('object' in shape) return { ...printPlain(shape), object: printKeys(shape) };
    return printPlain(shape);
  };

  /** Keys that a smaller object has as well are taken from it: the settings of a server are also keys of `defaults`. */
  const printKeys = ({ object }: ObjectShape): string => {
    const isHere = ([key, shape]: [string, Shape]) => JSON.stringify(object[key]) === JSON.stringify(shape);
    const part = objects.find((other) => size(other) < size({ object }) && Object.entries(other.object).every(isHere));
    const own = Object.entries(object).filter(([key]) => !Object.hasOwn(part?.object ?? {}, key));
    const lines = own.map(([key, shape]) => `${JSON.stringify(key)}: ${print(shape)}`);
    if (part !== undefined) lines.push(`...${print(part)}.object`);
    return `{\n${lines.map((line) => `  ${line},\n`).join('')}}`;
  };

  const last = print(root);
  return [
    '// Generated from schema.ts by `npm run generate`.',
    "import type { Shape } from './shape.js';\n",
    ...Array.from(constants, ([literal, name]) => `const ${name} = ${literal} as const;`),
    '\n/** The schema of the configuration file, for the quick reader. */',
    `export const configFileShape: Shape = ${last};\n`,
  ].join('\n');
}

type Fields = Record<string, string | undefined>;

function objectsIn(shape: Shape): ObjectShape[] {
  if ('either' in shape) return shape.either.flatMap(objectsIn);
  if ('list' in shape) return objectsIn(shape.list);
  if ('map' in shape) return objectsIn(shape.map);
  return 'object' in shape ? [shape, ...Object.values(shape.object).flatMap(objectsIn)] : [];
}

function size({ object }: ObjectShape): number {
  return Object.keys(object).length;
}

function printPlain(shape: Shape): Fields {
  return Object.fromEntries(Object.entries(shape).map(([key, value]) => [key, JSON.stringify(value)]));
}

function printObject(fields: Fields): string {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return `{ ${entries.map(([key, value]) => `${key}: ${value}`).join(', ')} }`;
}
