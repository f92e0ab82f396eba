/**
 * The value of `--config` if the command line is that of clients: `[serve] [--config FILE]`. Undefined for everything else,
 * faults included: the commands are a part, so that serving need not load them.
 */
export function servedConfig(argv: readonly string[]): { readonly config: string | undefined } | undefined {
  const [first, ...others] = argv[0] === 'serve' ? argv.slice(1) : argv;
  if (first === undefined) return { config: undefined };
  const [, joined] = /^--config=(.+)$/s.exec(first) ?? [];
  const [next = '', ...rest] = joined === undefined ? others : [joined, ...others];
  const isConfig = joined !== undefined || first === '--config' || first === '-c';
  return isConfig && next !== '' && !next.startsWith('-') && rest.length === 0 ? { config: next } : undefined;
}
