import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import { rpcCode } from '../../jsonrpc/messages.js';
import { longestQuestionBytes, maxQuestionsPerCall } from '../../limits.js';
import { showHidden, withoutHidden } from '../../text/hidden.js';
import { printable } from '../../text/printable.js';
import type { Question, QuestionBudget } from '../ports/agent.js';

/** The server that asks, by its names in the configuration. */
export interface Asker {
  readonly toolbox: string;
  readonly server: string;
}

/** The workbench does not pass on a question of a server. */
export class RefusedQuestion extends Error {
  override readonly name = 'RefusedQuestion';
  readonly code = rpcCode.invalidRequest;
}

export function newBudget(asked = 0, approval?: string): QuestionBudget {
  return { asked, waitedMs: 0, approval };
}

/** Counts one more question. */
export function countQuestion(budget: QuestionBudget): void {
  if (budget.asked >= maxQuestionsPerCall) {
    throw new RefusedQuestion(`refused: a call may ask at most ${maxQuestionsPerCall} questions`);
  }
  budget.asked++;
}

/**
 * The question as a user gets it: within its limits, without hidden characters, and with a label of ours in front, because
 * the client shows it as a question of the workbench.
 */
export function askedQuestion(question: Question, asker: Asker): Question {
  const shown = readable(question);
  const { params = {}, ...rest } = shown;
  const label = `[${oneLine(asker.toolbox)}/${oneLine(asker.server)}] `;
  switch (question.method) {
    case 'elicitation/create':
      return { ...rest, params: elicitation(params, label) };
    case 'sampling/createMessage':
      return { ...rest, params: sampling(params, label) };
    default:
      return shown;
  }
}

const widestIndentation = 80;

/** The texts among the parameters: no answer repeats them, so they can be changed. */
const texts = new Set(['message', 'title', 'description', 'text', 'systemPrompt']);

/** Without hidden characters in its texts, and without `_meta`, which is for the connection to the workbench only. */
function readable(question: Question): Question {
  const visible = (key: string, value: unknown) => {
    if (key === '_meta') return undefined;
    return texts.has(key) && typeof value === 'string' ? printable(value) : value;
  };
  try {
    const json = JSON.stringify(question);
    const bytes = Buffer.byteLength(json);
    if (bytes > longestQuestionBytes) {
      throw new RefusedQuestion(`refused: the question has ${bytes} bytes, over the limit ${longestQuestionBytes}`);
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only texts were changed
    return JSON.parse(json, visible) as Question;
  } catch (error) {
    throw error instanceof RefusedQuestion ? error : new RefusedQuestion('refused: the question is nested too deeply');
  }
}

function elicitation(params: JsonObject, label: string): JsonObject {
  const { mode, url, message, requestedSchema } = params;
  refuseHidden(requestedSchema);
  const hasUrl = mode === 'url' || url !== undefined;
  return { ...params, ...(hasUrl && { url: checkedUrl(url) }), message: `${label}${paragraphs(message)}` };
}

/** Names and choices are part of the answer, so they cannot be changed. */
function refuseHidden(requestedSchema: unknown): void {
  JSON.stringify(requestedSchema, (key, value: unknown) => {
    if (withoutHidden(key) !== key || (typeof value === 'string' && withoutHidden(value) !== value)) {
      throw new RefusedQuestion('refused: a name or choice of the form contains hidden characters');
    }
    return value;
  });
}

/** The label is in the first message: clients show the messages to the user, and may leave out the system prompt. */
function sampling(params: JsonObject, label: string): JsonObject {
  const { messages, includeContext } = params;
  if (!Array.isArray(messages)) throw new RefusedQuestion('refused: messages: Expected array');
  // The context of the agent contains what other servers returned.
  const context = includeContext === undefined ? {} : { includeContext: 'none' };
  return { ...params, ...context, messages: labelled(messages, label) };
}

function labelled(messages: readonly unknown[], label: string): readonly unknown[] {
  const [first, ...others] = messages;
  const content = isRecord(first) && first['role'] === 'user' ? first['content'] : undefined;
  const all: readonly unknown[] = Array.isArray(content) ? content : [content];
  const [block, ...blocks] = all;
  const text = isRecord(block) && block['type'] === 'text' ? block['text'] : undefined;
  if (!isRecord(first) || !isRecord(block) || typeof text !== 'string') {
    return [{ role: 'user', content: { type: 'text', text: label } }, ...messages];
  }
  const begun = { ...block, text: `${label}${paragraphs(text)}` };
  return [{ ...first, content: Array.isArray(content) ? [begun, ...blocks] : begun }, ...others];
}

/** Text that stays behind the label: on a terminal a carriage return would write over it, and blanks push it away. */
function paragraphs(text: unknown): string {
  if (typeof text !== 'string') return '';
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/(?:[^\S\n]|\u2800)+/g, (blank) => (isPadding(blank) ? ' ' : blank))
    .replace(/\n[\s\u2800]*\n/g, '\n\n')
    .replace(/^[\s\u2800]+/, '');
}

/** U+2800 is the blank of Braille, which is not white space to any program. */
function isPadding(blank: string): boolean {
  return blank.length > widestIndentation || (blank.length > 1 && blank.includes('\u2800'));
}

function oneLine(name: string): string {
  return showHidden(name).replace(/\s+/g, ' ');
}

const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** As parsed here: another parser may read an odd URL differently. */
function checkedUrl(text: unknown): string {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && loopback.test(url.hostname));
  if (url === undefined || !isSafe || url.username !== '' || url.password !== '') {
    throw new RefusedQuestion(
      'refused: a URL must use https, or http on this computer, and contain no user name or password',
    );
  }
  return url.href;
}
