import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import type { Question } from '../ports/agent.js';

/** Whether an agent with these capabilities supports this question. Elicitation without a mode means a form. */
export function canAnswer(capabilities: JsonObject, { method, params }: Question): boolean {
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
