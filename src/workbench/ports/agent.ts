import type { CancelSignal } from '../../jsonrpc/cancellation.js';
import { isRecord } from '../../jsonrpc/json.js';

/** The client in front, as far as the workbench and its servers need to know it. */
export interface Agent {
  /** Of one session, and of no other in this process. */
  readonly id: string;
  /** Name and version as the client gives them. */
  readonly client: ClientInfo | undefined;
  /** Its capabilities that a server can make use of: `elicitation`, `sampling`, `roots`. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Puts a question to it. Rejects if it cannot be asked, or declines to answer. */
  ask(question: Question, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
  /** Aborted when its session has ended: nobody can be asked any more. */
  readonly gone: CancelSignal;
}

export interface ClientInfo {
  readonly name: string;
  readonly version: string;
}

/** A request that goes from a server to the agent: `elicitation/create`, `sampling/createMessage` or `roots/list`. */
export interface Question {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Whether an agent with these capabilities can be asked this. Elicitation without a mode means a form. */
export function canAnswer(capabilities: Readonly<Record<string, unknown>>, { method, params }: Question): boolean {
  const { elicitation, sampling, roots } = capabilities;
  switch (method) {
    case 'elicitation/create':
      if (!isRecord(elicitation)) return false;
      if (params?.['mode'] === 'url') return isRecord(elicitation['url']);
      return isRecord(elicitation['form']) || !isRecord(elicitation['url']);
    case 'sampling/createMessage':
      return isRecord(sampling);
    case 'roots/list':
      return isRecord(roots);
    default:
      return false;
  }
}
