import type { ServerName } from '../logs/log-names.js';

/** Numbers processes with the same names, so that no two write to one log file at the same time. */
export interface LogNumbers {
  /** The lowest that is free. */
  take(server: ServerName): number;
  release(server: ServerName, number: number): void;
}

export function createLogNumbers(): LogNumbers {
  const taken = new Map<string, Set<number>>();
  const keyOf = ({ toolbox, name }: ServerName) => JSON.stringify([toolbox, name]);
  return {
    take(server) {
      const numbers = taken.get(keyOf(server)) ?? new Set();
      taken.set(keyOf(server), numbers);
      let number = 1;
      while (numbers.has(number)) number++;
      numbers.add(number);
      return number;
    },
    release(server, number) {
      const numbers = taken.get(keyOf(server));
      numbers?.delete(number);
      if (numbers?.size === 0) taken.delete(keyOf(server));
    },
  };
}
