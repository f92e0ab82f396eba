import { WorkbenchError } from '../../contract/errors.js';
import type { CallToolResult, ResultOptions, ToolIdentifier } from '../../contract/types.js';
import { answerTimeoutMs } from '../../limits.js';
import { nextCall } from '../../results/fit/notes.js';
import { printableLine } from '../../text/printable.js';
import { shorten } from '../../text/shorten.js';
import { longestShownProgress } from '../running/running-calls.js';

const unknownOutcome = 'It is unknown whether the tool took effect.';

const textResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

/** A call that goes on. `next`: what is wanted of its result. */
export interface GoingOn {
  readonly tool: ToolIdentifier;
  readonly next: ResultOptions;
  readonly ms: number;
  readonly progress: string | undefined;
}

export function stillRunning({ tool, next, ms, progress = '' }: GoingOn): CallToolResult {
  const text = shorten(printableLine(progress), longestShownProgress);
  const last = text === '' ? '' : ` ("${text}")`;
  const call = `Wait for it: ${nextCall(tool, next)} Stop it: …"cancel":true`;
  return textResult(`Still running after ${secondsIn(ms)} s${last}. It goes on. ${call}`);
}

/** Whole seconds from 10 on. */
function secondsIn(ms: number): number {
  return ms < 9_950 ? Math.round(ms / 100) / 10 : Math.round(ms / 1_000);
}

export const cancelled = textResult(`Cancelled. ${unknownOutcome}`);

export function hostLost(id: string): WorkbenchError {
  const text = `Result '${id}' is no longer kept: the host process that runs the servers was lost during the call`;
  return new WorkbenchError('RESULT_GONE', text, { hint: `${unknownOutcome} The call was not retried.` });
}

export function questionExpired(id: string): WorkbenchError {
  const text = `The call of result '${id}' was cancelled: its question was not answered within ${answerTimeoutMs} ms`;
  return new WorkbenchError('QUESTION_UNANSWERED', text, { hint: unknownOutcome });
}
