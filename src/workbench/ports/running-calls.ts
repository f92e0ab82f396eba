import type { ToolIdentifier } from '../../contract/types.js';
import type { ClientInfo } from './agent.js';
import type { CallOptions } from './downstream.js';

/** The calls of a session that run now. */
export interface RunningCalls {
  list(): readonly CallInFlight[];
  /** The agent reads that the user has cancelled it. False if no such call runs. */
  cancel(number: number): boolean;
}

export interface CallInFlight {
  /** As in the report at its end. */
  readonly number: number;
  readonly tool: ToolIdentifier;
  readonly client: ClientInfo | undefined;
  /** In ms since 1970. */
  readonly since: number;
  /** What its server reported last: one line without the server's secrets, or how much of how much. */
  readonly progress?: string | undefined;
}

/** What a session knows of a call while it runs. */
export interface CallHandle {
  /** The call begins; the server may still have to be started. `number`: as in its report. */
  begun(number: number, tool: ToolIdentifier): void;
  /** The request gets the result of the call with this number, which another request has begun. */
  answersWith(number: number): void;
}

export interface HandledCallOptions extends CallOptions {
  /** Gets the number of this call. */
  readonly handle?: CallHandle | undefined;
}
