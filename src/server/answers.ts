import { messageOf, WorkbenchError } from '../errors.js';
import type { Log } from '../log.js';
import { shorten } from '../shorten.js';
import type { CallToolResult, Schema } from '../types.js';
import { correctedUse } from './correction.js';
import { InvalidRequestState } from './request-state.js';

const longestText = 1_999;

/** Checks what the agent sent, and says every fault at once in the contract's words. */
export function parseInput<T>(schema: Schema<T>, input: unknown): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`,
  );
  throw new WorkbenchError('INPUT_INVALID', `Invalid parameters: ${faults.join('; ')}`, { hint: correctedUse(input) });
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

/** The message, and what to do next. Clients cut long errors off, so the message gives way: the hint must be read. */
export function fullText({ message, hint }: WorkbenchError): string {
  if (hint === undefined) return shorten(message, longestText);
  const text = shorten(message, Math.max(200, longestText - hint.length - 2));
  return `${text}${/[.!?…]$/.test(text) ? '' : '.'} ${shorten(hint, longestText - 202)}`;
}

function textOf(error: unknown, log: Log): string {
  if (!(error instanceof WorkbenchError)) {
    log.error(`Internal error: ${error instanceof Error ? (error.stack ?? error.message) : messageOf(error)}`);
    return 'Internal error in the workbench. Its log says more.';
  }
  return fullText(error);
}
