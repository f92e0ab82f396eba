/** How the workbench is to serve. */
export interface Served {
  /** The value of `--config`. */
  readonly config: string | undefined;
  /** The value of `--host-name`. */
  readonly hostName: string | undefined;
  readonly isFrozen: boolean;
}

/** A host's name is shown in lists, and may be written in the files of clients. */
export const hostNamePattern = /^\w[\w.-]{0,63}$/;

const names: Readonly<Record<string, 'config' | 'hostName'>> = {
  '--config': 'config',
  '-c': 'config',
  '--host-name': 'hostName',
};

/**
 * What the command line says if it is that of clients: `[serve] [--frozen] [--config FILE] [--host-name NAME]`. Undefined for
 * everything else, faults included: the commands are a part, so that serving need not load them.
 */
export function servedConfig(argv: readonly string[]): Served | undefined {
  const words = argv[0] === 'serve' ? argv.slice(1) : [...argv];
  const values: Partial<Record<'config' | 'hostName', string>> = {};
  let isFrozen = false;
  while (words.length > 0) {
    const word = words.shift() ?? '';
    if (word === '--frozen' && !isFrozen) {
      isFrozen = true;
      continue;
    }
    const [, long = word, joined] = /^(--[a-z-]+)=(.+)$/s.exec(word) ?? [];
    const name = names[long];
    const value = joined ?? words.shift() ?? '';
    if (name === undefined || values[name] !== undefined || !isValue(name, value)) return undefined;
    values[name] = value;
  }
  return { config: values.config, hostName: values.hostName, isFrozen };
}

function isValue(name: 'config' | 'hostName', value: string): boolean {
  return name === 'hostName' ? hostNamePattern.test(value) : value !== '' && !value.startsWith('-');
}
