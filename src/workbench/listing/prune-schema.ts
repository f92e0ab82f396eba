import type { Tool } from '../../contract/types.js';
import { isRecord } from '../../jsonrpc/json.js';
import { pointerSteps } from './reference.js';

type Keywords = Record<string, unknown>;

const containers = ['$defs', 'definitions'];
const dynamicReferences = ['$dynamicRef', '$recursiveRef'];

/** The tool without unused definitions in its schemas. */
export function pruneTool(tool: Tool): Tool {
  const { inputSchema, outputSchema } = tool;
  const pruned = { ...tool };
  if (isRecord(inputSchema)) pruned.inputSchema = pruneSchema(inputSchema);
  if (isRecord(outputSchema)) pruned.outputSchema = pruneSchema(outputSchema);
  return pruned;
}

/** The schema without its unused top-level definitions, which nothing references, directly or indirectly. */
export function pruneSchema<T extends Keywords>(schema: T): T {
  const present = containers.filter((container) => isRecord(schema[container]));
  const used = present.length === 0 ? undefined : usedDefinitions(schema, present);
  if (used === undefined) return schema;
  const pruned = { ...schema };
  const keywords: Keywords = pruned;
  for (const [container, names] of used) {
    const kept = Object.entries(schema[container] ?? {}).filter(([name]) => names.has(name));
    if (kept.length === 0) delete keywords[container];
    else keywords[container] = Object.fromEntries(kept);
  }
  return pruned;
}

/** The used names by container; undefined if a reference may point to any definition. */
function usedDefinitions(schema: Keywords, present: readonly string[]): Map<string, Set<string>> | undefined {
  const used = new Map(present.map((container) => [container, new Set<string>()]));
  const outside = { ...schema };
  for (const container of present) delete outside[container];
  // Iterative: a schema may be nested deeper than the stack allows.
  const pending: unknown[] = [outside];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null) continue;
    for (const value of Object.values(next)) pending.push(value);
    if (!isRecord(next)) continue;
    const definition = definitionIn(next, present);
    if (definition === 'any') return undefined;
    if (definition === 'none' || used.get(definition.container)?.has(definition.name)) continue;
    used.get(definition.container)?.add(definition.name);
    const definitions = schema[definition.container];
    if (isRecord(definitions) && Object.hasOwn(definitions, definition.name))
      pending.push(definitions[definition.name]);
  }
  return used;
}

/** The definition that a schema's own `$ref` points to; 'any' for anchors, URLs, dynamic references and whole containers. */
function definitionIn(
  schema: Keywords,
  present: readonly string[],
): 'none' | 'any' | { readonly container: string; readonly name: string } {
  if (dynamicReferences.some((keyword) => keyword in schema)) return 'any';
  const { $ref } = schema;
  if (typeof $ref !== 'string' || $ref === '#') return 'none';
  const [container, name] = pointerSteps($ref) ?? [];
  if (container === undefined) return 'any';
  if (!present.includes(container)) return 'none';
  return name === undefined ? 'any' : { container, name };
}
