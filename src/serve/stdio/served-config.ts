/** How the workbench is to serve. */
export interface Served {
  /** The value of `--config`. */
  readonly config: string | undefined;
  readonly isFrozen: boolean;
}

/**
 * What the command line says if it is that of clients: `[serve] [--frozen] [--config FILE]`. Undefined for everything else, faults
 * included: the commands are a part, so that serving need not load them.
 */
export function servedConfig(argv: readonly string[]): Served | undefined {
  const words = argv[0] === 'serve' ? argv.slice(1) : argv;
  const at = words.indexOf('--frozen');
  const isFrozen = at !== -1;
  // In place of FILE it is none.
  if (isFrozen && (words[at - 1] === '--config' || words[at - 1] === '-c')) return undefined;
  const [first, ...others] = words.toSpliced(at, isFrozen ? 1 : 0);
  if (first === undefined) return { config: undefined, isFrozen };
  const [, joined] = /^--config=(.+)$/s.exec(first) ?? [];
  const [next = '', ...rest] = joined === undefined ? others : [joined, ...others];
  const isConfig = joined !== undefined || first === '--config' || first === '-c';
  return isConfig && next !== '' && !next.startsWith('-') && rest.length === 0 ? { config: next, isFrozen } : undefined;
}
