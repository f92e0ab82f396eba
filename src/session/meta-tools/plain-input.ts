import type { OpenToolboxInput, UseToolInput } from '../../contract/types.js';
import { isRecord } from '../../jsonrpc/json.js';

// Recognises the usual inputs without the schemas, which take longer to load than a call takes. All other input,
// valid or not, goes through the schemas.

/** The input of `use_tool` if it has the usual shape. */
export function plainUse(input: unknown): UseToolInput | undefined {
  if (!isRecord(input) || !isRecord(input['tool'])) return undefined;
  const { tool, arguments: args = {} } = input;
  const { toolbox, server, name } = tool;
  if (!isName(toolbox) || !isName(server) || !isName(name) || !isRecord(args)) return undefined;
  if (Object.keys(tool).length !== 3 || Object.keys(input).length > ('arguments' in input ? 2 : 1)) return undefined;
  return { tool: { toolbox, server, name }, arguments: args };
}

/** The input of `open_toolbox` if it has the usual shape. */
export function plainOpen(input: unknown): OpenToolboxInput | undefined {
  if (!isRecord(input) || Object.keys(input).length !== 1) return undefined;
  const { toolbox } = input;
  return isName(toolbox) ? { toolbox } : undefined;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
