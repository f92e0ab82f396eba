import type { SelectFunction } from './define.js';
import { SelectFault } from './fault.js';
import { listFunctions } from './list-functions.js';
import type { Run } from './run.js';
import { textFunctions } from './text-functions.js';
import { typeOf } from './types.js';

const functions = new Map<string, SelectFunction>(Object.entries({ ...listFunctions, ...textFunctions }));

/** Throws if there is no such function, or if it takes another number of arguments. */
export function checkCall(name: string, count: number, character: number): void {
  const called = functions.get(name);
  if (called === undefined) {
    const names = [...functions.keys()].toSorted().join(', ');
    throw new SelectFault(
      'unknown-function',
      `unknown function ${name} at character ${character}. Functions: ${names}`,
    );
  }
  const { length } = called.types;
  if (called.isVariadic ? count >= length : count === length) return;
  const wanted = `${called.isVariadic ? 'at least ' : ''}${length} argument${length === 1 ? '' : 's'}`;
  throw new SelectFault('invalid-arity', `${name} takes ${wanted}, not ${count}, at character ${character}`);
}

export function callFunction(name: string, args: readonly unknown[], run: Run): unknown {
  const called = functions.get(name);
  if (called === undefined) throw new SelectFault('unknown-function', `unknown function ${name}`);
  for (const [at, value] of args.entries()) {
    // The last type is that of all further arguments.
    const type = called.types[Math.min(at, called.types.length - 1)];
    if (type?.holds(value, run) === true) continue;
    const what =
      typeOf(value) === 'array' && type?.name.startsWith('array') ? 'an array of other values' : typeOf(value);
    throw new SelectFault('invalid-type', `${name}: argument ${at + 1} is ${what}, not ${type?.name}`);
  }
  return called.call(run, args);
}
