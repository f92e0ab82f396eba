import { messageOf, WorkbenchError } from '../errors.js';
import { isRecord } from '../json.js';
import type { Log } from '../log.js';
import { shorten } from '../shorten.js';
import type { CallToolResult, Schema } from '../types.js';
import { InvalidRequestState } from './request-state.js';

/** Checks what the agent sent, and says every fault at once in the contract's words. */
export function parseInput<T>(schema: Schema<T>, input: unknown): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`,
  );
  throw new WorkbenchError('INPUT_INVALID', `Invalid parameters: ${faults.join('; ')}`, { hint: correction(input) });
}

/** Agents that learned an earlier shape of `use_tool` get the call they meant. */
function correction(input: unknown): string | undefined {
  const tool = isRecord(input) ? input['tool'] : undefined;
  if (!isRecord(tool) || 'name' in tool || typeof tool['tool'] !== 'string') return undefined;
  const { tool: name, ...rest } = tool;
  const call = {
    tool: { ...rest, name },
    ...(isRecord(input) && 'arguments' in input && { arguments: input['arguments'] }),
  };
  return `The field 'tool' is now 'name'. Call use_tool(${shorten(JSON.stringify(call), 1_000)}).`;
}

/** The one place where what went wrong becomes what the agent reads. */
export async function answer(log: Log, handle: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await handle();
  } catch (error) {
    // Not for the model to read: the client broke the protocol.
    if (error instanceof InvalidRequestState) {
      log.warn(`agent: refused: ${error.message}`);
      throw error;
    }
    return { content: [{ type: 'text', text: textOf(error, log) }], isError: true };
  }
}

function textOf(error: unknown, log: Log): string {
  if (!(error instanceof WorkbenchError)) {
    log.error(`Internal error: ${error instanceof Error ? (error.stack ?? error.message) : messageOf(error)}`);
    return 'Internal error in the workbench. Its log says more.';
  }
  if (error.hint === undefined) return error.message;
  return `${error.message}${/[.!?]$/.test(error.message) ? '' : '.'} ${error.hint}`;
}
