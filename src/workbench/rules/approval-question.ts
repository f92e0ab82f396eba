import type { ToolIdentifier } from '../../contract/types.js';
import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import { longestShownName, mostShownArguments } from '../../limits.js';
import { showHidden } from '../../text/hidden.js';
import type { ReplaceAny } from '../../text/replace-any.js';
import { shorten } from '../../text/shorten.js';
import type { Question } from '../ports/agent.js';

const answers = {
  once: 'Once',
  session: 'This tool with any arguments, until the session ends',
  no: 'No',
} as const;

export type ApprovalAnswer = keyof typeof answers;

/** Of a value, where there are few arguments, and where there are more than a person reads in full. */
const longValue = 200;
const shortValue = 40;
const fewArguments = 20;
/** Where a value is cut before secrets are looked for in it: a secret may be longer than what is shown. */
const longestSearched = 20_000;

/** The question whether a call may be sent. `shown`: its arguments, each on a line. */
export function approvalQuestion({ toolbox, server, name }: ToolIdentifier, shown: string): Question {
  const place = `${oneWord(name)} of server ${oneWord(server)} (toolbox ${oneWord(toolbox)})`;
  const answer = {
    type: 'string',
    title: 'May it be called?',
    description: Object.entries(answers)
      .map(([word, meaning]) => `${word}: ${meaning}`)
      .join('; '),
    enum: Object.keys(answers),
    enumNames: Object.values(answers),
  };
  return {
    method: 'elicitation/create',
    params: {
      message: `The agent wants to call ${place} with${shown}`,
      requestedSchema: { type: 'object', properties: { answer }, required: ['answer'] },
    },
    isOwn: true,
  };
}

/** Whatever is not clearly a yes is a no. */
export function readApproval({ action, content }: JsonObject): ApprovalAnswer {
  const answer = action === 'accept' && isRecord(content) ? content['answer'] : undefined;
  return answer === 'once' || answer === 'session' ? answer : 'no';
}

/**
 * The arguments as a person reads them: a line for each, whose value is cut by itself, so that none can push another out of sight;
 * without secrets, with hidden characters visible. Undefined if there are too many to read, or if a name is too long.
 */
export function shownArguments(args: JsonObject, mask: ReplaceAny): string | undefined {
  const all = Object.entries(args);
  if (all.length > mostShownArguments || all.some(([name]) => name.length > longestShownName)) return undefined;
  if (all.length === 0) return ' no arguments';
  const longest = all.length > fewArguments ? shortValue : longValue;
  return all.map(([name, value]) => `\n${oneWord(name)}: ${shownValue(value, longest, mask)}`).join('');
}

function shownValue(value: unknown, longest: number, mask: ReplaceAny): string {
  const json = JSON.stringify(value);
  const searched = json.slice(0, longestSearched);
  const text = showHidden(mask(searched, searched.length < json.length));
  if (text.length <= longest && searched.length === json.length) return text;
  return `${shorten(text, longest)} (cut: ${json.length} characters in all)`;
}

/** A name that could be read as a part of the sentence is quoted. */
function oneWord(name: string): string {
  return /^[\w.:/@-]+$/.test(name) ? name : showHidden(JSON.stringify(name));
}
