import type { CancelSignal } from '../../jsonrpc/cancellation.js';
import type { Log } from '../../platform/log.js';
import type { Workbench } from '../../workbench/workbench.js';
import type { CallsInFlight } from '../running/running-calls.js';
import type { UseTool } from './agent-request.js';
import { createModernCalls } from './modern-calls.js';
import { createOpenToolbox, type OpenToolbox } from './open-toolbox.js';
import type { Signing } from './request-state.js';
import { createUseTool } from './use-tool.js';

/** The two meta-tools for one session, with the questions that their servers ask. */
export interface MetaCalls {
  readonly openToolbox: OpenToolbox;
  readonly useTool: UseTool;
}

/** `inFlight`: the calls of the session. `gone`: the agent's session has ended. */
export function createMetaCalls(
  workbench: Workbench,
  gone: CancelSignal,
  log: Log,
  inFlight?: CallsInFlight,
  signing?: Signing,
): MetaCalls {
  const modernCalls = createModernCalls(gone, log, inFlight, signing);
  return { openToolbox: createOpenToolbox(workbench, modernCalls), useTool: createUseTool(workbench, modernCalls) };
}
