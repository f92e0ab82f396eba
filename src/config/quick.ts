import { configFileShape } from './quick-shape.generated.js';
import type { ConfigFile } from './schema.js';
import { readShape, type Shape, Unsure } from './shape.js';

/**
 * Reads a configuration file that is clearly valid. Every start runs this, and loading the schema would take longer than
 * all the rest. Undefined: the file has to be read with the schema, which also words the faults.
 */
export function quickFile(text: string): QuickFile | undefined {
  const value = readQuickly(text, configFileShape);
  if (value === undefined) return undefined;
  // The shape is generated from the schema that this type is inferred from; a property test compares the two readers.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const file = value as ConfigFile;
  return { toolboxes: namesIn(file), file };
}

/** The names, which the first responses need, and the whole for later. */
export interface QuickFile {
  readonly toolboxes: readonly NamedToolbox[];
  readonly file: ConfigFile;
}

interface NamedToolbox {
  readonly name: string;
  readonly description: string;
  /** Without the disabled ones. */
  readonly servers: readonly string[];
}

function namesIn({ toolboxes }: ConfigFile): NamedToolbox[] {
  return Array.from(toolboxes, ([name, { description, mcpServers }]) => ({
    name,
    description,
    servers: [...mcpServers].filter(([, { disabled = false }]) => !disabled).map(([server]) => server),
  }));
}

/** The value in a JSON text, with comments and trailing commas, as the schema of this shape gives it. Undefined: unsure. */
export function readQuickly(text: string, shape: Shape): unknown {
  try {
    const plain = withoutExtras(text);
    const seen = { keys: 0 };
    const value = readShape(JSON.parse(plain), shape, seen);
    // JSON.parse keeps only the last of a repeated key.
    return seen.keys === keysIn(plain) ? value : undefined;
  } catch (error) {
    if (error instanceof Unsure || error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Removes comments and trailing commas, but not inside strings. */
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
