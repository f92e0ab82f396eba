import type { ToolIdentifier } from '../../contract/types.js';
import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import { nearest } from '../../text/nearest.js';
import { shorten } from '../../text/shorten.js';

/** What there is to call. Nothing of it starts a server. */
export interface Callable {
  readonly toolboxes: readonly string[];
  /** Tools of this name; if none is known, those with the nearest names. */
  readonly toolsNamed: (name: string) => Promise<readonly ToolIdentifier[]>;
}

/** All calls in one text. */
const longestCalls = 1_200;
const longestNames = 400;
/** Of an object that was sent as a text; a longer one would not be shown. */
const longestParsed = 10_000;
const maxCalls = 3;
const aliasesOfName = ['name', 'tool', 'tool_name', 'toolName'];
const aliasesOfArguments = ['arguments', 'args', 'input', 'params', 'parameters'];
const details = new Set(['full', 'signatures', 'names']);

/** Models guess the shape of `use_tool`. If the intent is clear, the error includes the corrected call. */
export function correctedUse(input: unknown): string | undefined {
  const { toolbox, server, name, args, isOldSpelling } = intentOf(input);
  if (toolbox === undefined || server === undefined || name === undefined) return undefined;
  const renamed = isOldSpelling ? "The field 'tool' is now 'name'. " : '';
  return `${renamed}Call ${useCalls([{ toolbox, server, name }], args)}.`;
}

/** The same where only the name of the tool is clear: its place is looked up among the known tools. */
export async function correctedPlace(input: unknown, { toolboxes, toolsNamed }: Callable): Promise<string | undefined> {
  const { toolbox, server, name, args } = intentOf(input);
  if (name === undefined) return undefined;
  const isWanted = (tool: ToolIdentifier) =>
    (toolbox === undefined || tool.toolbox === toolbox) && (server === undefined || tool.server === server);
  const found = (await toolsNamed(name)).filter(isWanted).slice(0, maxCalls);
  if (found.length === 0) {
    const shape = useCalls([{ toolbox: toolbox ?? 'TOOLBOX', server: server ?? 'SERVER', name }], args);
    return `Call ${shape} with toolbox and server as open_toolbox lists them. ${available(toolboxes)}`;
  }
  const calls = useCalls(found, args);
  return found[0]?.name === name ? `Call ${calls}.` : `Did you mean ${calls}?`;
}

/** The call of `open_toolbox` that was probably meant, and the names of all toolboxes. */
export function correctedOpen(input: unknown, toolboxes: readonly string[]): string {
  const given = isRecord(input) ? input : {};
  const { query, tools, detail } = given;
  const kept = {
    ...(typeof query === 'string' && query !== '' && { query: shorten(query, longestNames) }),
    ...(Array.isArray(tools) && tools.every((tool) => typeof tool === 'string') && { tools }),
    ...(typeof detail === 'string' && details.has(detail) && { detail }),
  };
  const toolbox = toolboxIn(given, toolboxes) ?? ('query' in kept ? '*' : toolboxes[0]);
  if (toolbox === undefined) return available(toolboxes);
  const call = shorten(JSON.stringify({ toolbox, ...kept }), longestCalls);
  return `Call open_toolbox(${call}). ${available(toolboxes)}`;
}

/** A name of a toolbox anywhere in the input, or the nearest to what stands there. */
function toolboxIn(given: JsonObject, names: readonly string[]): string | undefined {
  const inner = isRecord(given['toolbox']) ? Object.values(given['toolbox']) : [];
  const texts = [given['toolbox'], ...inner, ...Object.values(given)].filter((value) => typeof value === 'string');
  const exact = texts.find((value) => value === '*' || names.includes(value));
  const wanted = typeof given['toolbox'] === 'string' ? given['toolbox'] : '';
  return exact ?? (wanted === '' ? undefined : nearest(wanted, names, 1)[0]);
}

function intentOf(input: unknown) {
  const given = isRecord(input) ? input : {};
  const tool = objectIn(given['tool']);
  // The text of an object is not a name.
  const places = tool === undefined ? [given] : [tool, { ...given, tool: undefined }];
  const args = places.flatMap((place) => aliasesOfArguments.map((key) => objectIn(place[key]))).find(isRecord);
  return {
    toolbox: text(places, ['toolbox']),
    server: text(places, ['server']),
    name: text(places, aliasesOfName),
    args,
    isOldSpelling: tool !== undefined && 'tool' in tool && !('name' in tool),
  };
}

/** An object, or the text of one. */
function objectIn(value: unknown): JsonObject | undefined {
  if (isRecord(value)) return value;
  if (typeof value !== 'string' || value.length > longestParsed || !value.trimStart().startsWith('{')) return undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function useCalls(tools: readonly ToolIdentifier[], args: JsonObject | undefined): string {
  const share = Math.floor(longestCalls / tools.length);
  const calls = tools.map(({ toolbox, server, name }) => {
    const call = { tool: { toolbox, server, name }, ...(args !== undefined && { arguments: args }) };
    return `use_tool(${shorten(JSON.stringify(call), share)})`;
  });
  return calls.join(' or ');
}

function available(toolboxes: readonly string[]): string {
  return `Available toolboxes: ${shorten(toolboxes.join(', '), longestNames) || 'none is configured'}.`;
}

function text(places: readonly JsonObject[], keys: readonly string[]): string | undefined {
  return places
    .flatMap((place) => keys.map((key) => place[key]))
    .find((value) => typeof value === 'string' && value !== '')
    ?.toString();
}
