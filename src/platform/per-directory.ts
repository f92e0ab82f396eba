/** What is made once for each directory: sessions with other homes have other directories. */
export interface PerDirectory<T> {
  /** The same object every time. Undefined: for those whose directory must not be used. */
  of(directory: string | undefined): T;
  all(): T[];
}

export function perDirectory<T>(create: (directory: string | undefined) => T): PerDirectory<T> {
  const made = new Map<string | undefined, T>();
  return {
    of(directory) {
      const one = made.get(directory) ?? create(directory);
      made.set(directory, one);
      return one;
    },
    all: () => [...made.values()],
  };
}
