import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import type { RequestId, RpcRequest } from '../../jsonrpc/messages.js';
import { modernRevision } from '../../jsonrpc/revisions.js';
import { answerTimeoutMs, maxParkedCalls } from '../../limits.js';
import { crypto } from '../../platform/crypto.js';
import { canAnswer } from '../../workbench/asking/can-answer.js';
import { withServerInfo } from '../introduction/identity.js';
import type { AskedCaller, AskedSession, EditGate } from './live-configuration.js';

/** An edit that waits for a person. */
export interface AskedEdit {
  readonly message: string;
  /** Resolves when calls are served by what was decided. */
  decide(isYes: boolean): Promise<void>;
}

// Below those of questions about calls.
const firstId = 900_001;
/** A state of the workbench itself begins with it; those of calls are signed and do not. */
const statePrefix = 'mcp-workbench/edit ';
const answerKey = 'edit';

/** A call that waits for the answer. */
interface Held {
  readonly id: RequestId;
  readonly passOn: () => void;
}

/** The question of a legacy client, which is a request to it. */
interface OpenQuestion {
  readonly id: RequestId;
  /** With undefined, it was not answered. */
  readonly end: (answer: JsonObject | undefined) => void;
}

/** `edit`: the one to ask about, if there is any. */
export function createEditGate(session: AskedSession, edit: () => AskedEdit | undefined): EditGate {
  /** Questions that were the result of a request. */
  const states = new Map<string, AskedEdit>();
  let held: Held[] = [];
  let open: OpenQuestion | undefined;
  let nextId = firstId;

  function ask(asked: AskedEdit, inReplyTo: RequestId): void {
    const id = nextId++;
    const timer = setTimeout(() => withdraw({}, `no answer within ${answerTimeoutMs} ms`), answerTimeoutMs).unref();
    open = {
      id,
      end(answer) {
        clearTimeout(timer);
        open = undefined;
        const decided = answer === undefined ? Promise.resolve() : asked.decide(isYes(answer));
        // There may be another edit by now; it is asked about with the next call.
        const goOnAll = () => {
          for (const { passOn } of held.splice(0)) passOn();
        };
        decided.then(goOnAll, goOnAll);
      },
    };
    session.send({ jsonrpc: '2.0', id, ...questionOf(asked) }, inReplyTo);
  }

  function withdraw(answer: JsonObject | undefined, reason: string): void {
    if (open === undefined) return;
    const { id: requestId, end } = open;
    session.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } });
    end(answer);
  }

  function askByResult(asked: AskedEdit, { id }: RpcRequest): void {
    const requestState = `${statePrefix}${crypto().randomUUID()}`;
    const [oldest] = states.keys();
    if (states.size >= maxParkedCalls && oldest !== undefined) states.delete(oldest);
    states.set(requestState, asked);
    const inputRequests = { [answerKey]: questionOf(asked) };
    const result = { resultType: 'input_required', inputRequests, requestState, _meta: withServerInfo({}) };
    session.send({ jsonrpc: '2.0', id, result });
  }

  /** The request again, with the answer: without both it is what the agent meant. */
  async function goOn(request: RpcRequest, requestState: string, passOn: (plain: RpcRequest) => void): Promise<void> {
    const { requestState: _, inputResponses, ...params } = request.params ?? {};
    const asked = states.get(requestState);
    states.delete(requestState);
    if (asked !== undefined && asked === edit()) {
      const answer = isRecord(inputResponses) ? inputResponses[answerKey] : undefined;
      // If it cannot be applied, the call is served by what is in use.
      await asked.decide(isYes(isRecord(answer) ? answer : {})).catch(() => {});
    }
    passOn({ ...request, params });
  }

  return {
    takes(request, caller, passOn) {
      const { requestState, inputResponses } = request.params ?? {};
      if (typeof requestState === 'string' && requestState.startsWith(statePrefix)) {
        void goOn(request, requestState, passOn);
        return true;
      }
      if (open !== undefined) return held.push({ id: request.id, passOn }) > 0;
      const asked = edit();
      const isFirst = requestState === undefined && inputResponses === undefined;
      if (asked === undefined || !isFirst || request.method !== 'tools/call' || !canBeAsked(caller)) return false;
      if (caller.revision >= modernRevision) askByResult(asked, request);
      else {
        held.push({ id: request.id, passOn });
        ask(asked, request.id);
      }
      return true;
    },
    cancel(requestId) {
      held = held.filter(({ id }) => id !== requestId);
      if (held.length === 0) withdraw(undefined, 'the call was cancelled');
    },
    answered(message) {
      if (open === undefined || message.id !== open.id) return false;
      open.end('result' in message && isRecord(message.result) ? message.result : {});
      return true;
    },
  };
}

/** Whether a client can show the question. */
export function canBeAsked({ capabilities }: AskedCaller): boolean {
  return canAnswer(capabilities, { method: 'elicitation/create' });
}

function questionOf({ message }: AskedEdit) {
  const answer = {
    type: 'string',
    title: 'Apply it to this session?',
    description: 'yes: in this session from now on; no: this session goes on as before',
    enum: ['yes', 'no'],
    enumNames: ['Yes', 'No'],
  };
  return {
    method: 'elicitation/create',
    params: { message, requestedSchema: { type: 'object', properties: { answer }, required: ['answer'] } },
  };
}

/** Whatever is not clearly a yes is a no. */
function isYes({ action, content }: JsonObject): boolean {
  return action === 'accept' && isRecord(content) && content['answer'] === 'yes';
}
