import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import { shorten } from '../../text/shorten.js';

const longestCall = 1_200;
const aliasesOfName = ['name', 'tool', 'tool_name', 'toolName'];
const aliasesOfArguments = ['arguments', 'args', 'input', 'params', 'parameters'];

/** Models guess the shape of `use_tool`. If the intent is clear, the error includes the corrected call. */
export function correctedUse(input: unknown): string | undefined {
  if (!isRecord(input)) return undefined;
  const inner = isRecord(input['tool']) ? input['tool'] : {};
  const places = [inner, input];
  const toolbox = text(places, ['toolbox']);
  const server = text(places, ['server']);
  const name = text(places, aliasesOfName);
  if (toolbox === undefined || server === undefined || name === undefined) return undefined;
  const given = places
    .flatMap((place) => aliasesOfArguments.map((key) => place[key]))
    .find((value) => value !== undefined);
  const call = { tool: { toolbox, server, name }, ...(given !== undefined && { arguments: given }) };
  const renamed = 'tool' in inner && !('name' in inner) ? "The field 'tool' is now 'name'. " : '';
  return `${renamed}Call use_tool(${shorten(JSON.stringify(call), longestCall)}).`;
}

function text(places: readonly JsonObject[], keys: readonly string[]): string | undefined {
  return places
    .flatMap((place) => keys.map((key) => place[key]))
    .find((value) => typeof value === 'string' && value !== '')
    ?.toString();
}
