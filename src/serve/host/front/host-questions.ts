import type { JsonObject } from '../../../jsonrpc/json.js';
import { messageIn, type RequestId } from '../../../jsonrpc/messages.js';
import type { AgentOutput } from '../../../session/transport.js';

/** The questions of a host that the agent has not answered. `shift`: an answer to one of the last host must not answer one of this. */
export function createQuestions(shift: number, output: AgentOutput) {
  const open = new Set<number>();

  function withdraw(number: number, reason: unknown): void {
    if (!open.delete(number)) return;
    const params = { requestId: number + shift, ...(typeof reason === 'string' && { reason }) };
    output.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
  }

  return {
    ask(number: number, question: JsonObject, inReplyTo: RequestId | undefined): void {
      const message = messageIn({ ...question, jsonrpc: '2.0', id: number + shift });
      if (message === undefined) throw new Error('not a question');
      open.add(number);
      output.send(message, inReplyTo);
    },
    withdraw,
    /** The number of the question that the agent has for this id, which is answered now. */
    take(id: RequestId): number | undefined {
      const number = Number(id) - shift;
      return open.delete(number) ? number : undefined;
    },
    close(reason: string): void {
      for (const number of open) withdraw(number, reason);
    },
  };
}
