import type * as Readline from 'node:readline';

/** Node's module, loaded when a person is asked: loading it would slow every command. */
export function readline(): typeof Readline {
  return process.getBuiltinModule('node:readline');
}
