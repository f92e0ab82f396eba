import type { CancelSignal } from '../../jsonrpc/cancellation.js';
import type { JsonObject } from '../../jsonrpc/json.js';

/** The client in front, as the workbench and its servers use it. */
export interface Agent {
  /** The id of its session, unique in this process. */
  readonly id: string;
  /** Name and version as reported by the client. */
  readonly client: ClientInfo | undefined;
  /** The capabilities that a server can use: `elicitation`, `sampling`, `roots`. */
  readonly capabilities: JsonObject;
  /** Sends it a question. Rejects if the agent cannot be asked, or answers with an error. */
  ask(question: Question, signal: AbortSignal): Promise<JsonObject>;
  /** Whether its questions are results of its own requests: each request has its own, and none waits for another. */
  readonly isAskedByResult?: true;
  /** It takes a process that runs, whatever that was offered when it started. */
  readonly takesAnyOffer?: true | undefined;
  /** Aborted when its session has ended and no question can be sent any more. */
  readonly gone: CancelSignal;
  /** From now on the listener is called when the agent says that its roots have changed. The returned function ends this. */
  onRootsChanged?(listener: () => void): () => void;
  /** Whether it reads what is sent to it; without this it always does. */
  readonly flow?: Flow;
}

/** Stops reading from servers while the agent reads nothing: what they write would have to be kept in memory. */
export interface Flow {
  /** From now on the valve is closed and opened with the flow. The returned function ends this. */
  watch(valve: Valve): () => void;
}

export interface Valve {
  pause(): void;
  resume(): void;
}

export interface ClientInfo {
  readonly name: string;
  readonly version: string;
}

/** A request from a server to the agent: `elicitation/create`, `sampling/createMessage` or `roots/list`. */
export interface Question {
  readonly method: string;
  readonly params?: JsonObject;
  /** Whether it is the workbench's own, about the very call that it belongs to. It is not sent. */
  readonly isOwn?: true;
}

/** What the questions of one call have used up so far, in all its rounds and in either era. */
export interface QuestionBudget {
  asked: number;
  /** How long users had to answer. */
  waitedMs: number;
  /** Names the approval that an earlier round of the call was given. It can be used once. */
  approval?: string | undefined;
}
