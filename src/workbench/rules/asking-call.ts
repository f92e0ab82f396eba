import type { ServerConfig } from '../../config/config.js';
import type { ToolIdentifier } from '../../contract/types.js';
import type { JsonObject } from '../../jsonrpc/json.js';
import type { CallOptions } from '../ports/downstream.js';

/** A call as a person is asked about it. */
export interface ToolCall {
  readonly tool: ToolIdentifier;
  readonly args: JsonObject;
  readonly options: CallOptions;
}

/** A call that is sent only after a person has agreed to it. `server`: with the rule that says so. */
export interface AskingCall extends ToolCall {
  readonly server: ServerConfig;
}

/** Thrown where a call would be sent without the approval that it needs. */
export class ApprovalNeeded extends Error {
  override readonly name = 'ApprovalNeeded';
  readonly server: ServerConfig;

  constructor(server: ServerConfig) {
    super('the call needs the approval of a person');
    this.server = server;
  }
}

/** The entry was edited after the rules had been applied to a call. Nothing was sent. */
export class EntryChanged extends Error {
  override readonly name = 'EntryChanged';
}

/** Asks people about calls. */
export interface Approvals {
  /** Returns when the call is approved. Throws CALL_NOT_APPROVED or CALL_CANCELLED. */
  obtain(call: AskingCall): Promise<void>;
  /** Keeps the approval of a call whose server requires input: the next round of the same call has it once. */
  carryOn(call: ToolCall): void;
  /** Whether this is the next round of a call that was approved. */
  isCarriedOn(call: ToolCall): boolean;
}
