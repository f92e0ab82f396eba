import { isRecord } from '../jsonrpc/json.js';
import { assemble, type ParseOptions } from './assemble.js';
import type { Config } from './config.js';
import { splitReferences } from './expand-env.js';
import type { ConfigFile } from './schema.js';
import { isHeaderName, isVariableName, mayBeHttpUrl, protocols, ranges, serverTypes } from './settings.js';

/**
 * Reads a configuration file that is plainly valid, at every start, without the schema, which takes longer to load than
 * all the rest. Undefined: there is something about it that only the schema can judge, or tell.
 */
export function quickConfig(text: string, options: ParseOptions): QuickConfig | undefined {
  try {
    const plain = withoutExtras(text);
    const seen = { keys: 0 };
    const file = readFile(JSON.parse(plain), seen);
    // Of a key that is repeated, only the last is in the value.
    if (seen.keys !== keysIn(plain) || !isConfigFile(file)) return undefined;
    return { toolboxes: namesIn(file), config: () => assemble(file, [], options) };
  } catch (error) {
    if (error instanceof Unsure || error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** What is to be told first, and the rest for when it is needed. */
export interface QuickConfig {
  readonly toolboxes: readonly NamedToolbox[];
  config(): Config;
}

interface NamedToolbox {
  readonly name: string;
  readonly description: string;
  /** Those that are not disabled. */
  readonly servers: readonly string[];
}

function namesIn({ toolboxes }: ConfigFile): NamedToolbox[] {
  return Array.from(toolboxes, ([name, { description, mcpServers }]) => ({
    name,
    description,
    servers: [...mcpServers].filter(([, { disabled = false }]) => !disabled).map(([server]) => server),
  }));
}

class Unsure extends Error {}

/** The text without its comments, and without commas after the last of several; strings are left as they are. */
function withoutExtras(text: string): string {
  const bare = text.replace(
    /("[^"\\]*(?:\\.[^"\\]*)*")|\/\/[^\n\r]*|\/\*[^]*?\*\//g,
    (_, kept?: string) => kept ?? ' ',
  );
  return bare.replace(/("[^"\\]*(?:\\.[^"\\]*)*")|(?<=[^\s,[{:]\s*),(?=\s*[\]}])/g, (_, kept?: string) => kept ?? '');
}

/** How many keys the objects in a JSON text have. */
function keysIn(text: string): number {
  let keys = 0;
  for (const [, colon] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g)) if (colon !== undefined) keys++;
  return keys;
}

interface Seen {
  keys: number;
}
/** Gives the value as the schema would, or throws Unsure. */
type Read = (value: unknown, seen: Seen) => unknown;

function sure(condition: boolean): asserts condition {
  if (!condition) throw new Unsure();
}

const passing =
  (isRight: (value: unknown) => boolean): Read =>
  (value) => {
    sure(isRight(value));
    return value;
  };

const isText = (value: unknown): value is string =>
  typeof value === 'string' &&
  !value.includes('\0') &&
  (!value.includes('${') ||
    splitReferences(value).every((part) => typeof part === 'string' || part.kind === 'variable'));

const text = passing(isText);
const givenText = passing((value) => isText(value) && value !== '');
const url = passing((value) => isText(value) && value !== '' && mayBeHttpUrl(value));
const flag = passing((value) => typeof value === 'boolean');
const oneOf = (known: readonly unknown[]) => passing((value) => known.includes(value));
const whole = ([least, most]: readonly [number, number]) =>
  passing((value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most);

const list =
  (read: Read): Read =>
  (value, seen) => {
    sure(Array.isArray(value));
    return value.map((item) => read(item, seen));
  };

function entriesOf(value: unknown, seen: Seen): [string, unknown][] {
  sure(isRecord(value));
  const entries = Object.entries(value);
  seen.keys += entries.length;
  return entries;
}

const mapOf =
  (isName: (name: string) => boolean, read: Read, least = 0): Read =>
  (value, seen) => {
    const entries = entriesOf(value, seen);
    // Keys that are numbers are not in the order of the file.
    sure(entries.length >= least && entries.every(([name]) => isName(name) && !/^\d+$/.test(name)));
    return new Map(entries.map(([name, held]) => [name, read(held, seen)]));
  };

const objectOf =
  (known: ReadonlyMap<string, Read>, required: readonly string[] = []): Read =>
  (value, seen) => {
    const entries = entriesOf(value, seen).map(([key, held]) => {
      const read = known.get(key);
      sure(read !== undefined);
      return [key, read(held, seen)] as const;
    });
    sure(required.every((key) => entries.some(([given]) => given === key)));
    return Object.fromEntries(entries);
  };

const { openTimeoutMs, openBudgetChars, ...serverRanges } = ranges;
const settings: readonly (readonly [string, Read])[] = [
  ...Object.entries(serverRanges).map(([name, range]) => [name, whole(range)] as const),
  ['protocol', oneOf(protocols)],
];

const serverFields = objectOf(
  new Map([
    ['type', oneOf(serverTypes)],
    ['command', givenText],
    ['args', list(text)],
    ['env', mapOf(isVariableName, text)],
    ['envFile', givenText],
    ['cwd', givenText],
    ['url', url],
    ['headers', mapOf(isHeaderName, text)],
    ['toolFilters', list(text)],
    ['disabled', flag],
    ...settings,
  ]),
);

const server: Read = (value, seen) => {
  const entry = serverFields(value, seen);
  sure(isRecord(entry));
  const isProgram = 'command' in entry;
  sure(isProgram !== 'url' in entry);
  sure(!('type' in entry) || (entry['type'] === 'stdio') === isProgram);
  return entry;
};

const toolbox = objectOf(
  new Map([
    ['description', passing((value) => typeof value === 'string' && /\S/.test(value))],
    ['mcpServers', mapOf((name) => name !== '', server, 1)],
  ]),
  ['description', 'mcpServers'],
);

const readFile = objectOf(
  new Map([
    ['$schema', passing((value) => typeof value === 'string')],
    ['toolboxes', mapOf((name) => name !== '' && name !== '*', toolbox)],
    ['openTimeoutMs', whole(openTimeoutMs)],
    ['openBudgetChars', whole(openBudgetChars)],
    ['defaults', objectOf(new Map(settings))],
  ]),
  ['toolboxes'],
);

/** Every part of it was read by what stands above. */
function isConfigFile(value: unknown): value is ConfigFile {
  return isRecord(value);
}
