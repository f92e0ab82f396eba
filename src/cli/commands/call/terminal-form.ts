import { isRecord, type JsonObject } from '../../../jsonrpc/json.js';

/** Asks for one line; undefined if the input has ended. */
export type AskLine = (question: string) => Promise<string | undefined>;

const maxTries = 3;

/** The answer to an `elicitation/create`, asked line by line. A person can always decline. */
export async function answerForm(params: JsonObject, ask: AskLine, tell: (text: string) => void): Promise<JsonObject> {
  const schema = isRecord(params['requestedSchema']) ? params['requestedSchema'] : {};
  const properties = isRecord(schema['properties']) ? Object.entries(schema['properties']) : [];
  const required = new Set<unknown>(Array.isArray(schema['required']) ? schema['required'] : []);
  tell(textOf(params['message']) ?? '');
  if (params['mode'] === 'url') {
    tell(`  ${textOf(params['url']) ?? ''}`);
    return (await isYes(ask, 'Open it in a browser. Done?')) ? { action: 'accept' } : { action: 'decline' };
  }
  const content: [string, unknown][] = [];
  for (const [name, field] of properties) {
    const value = await askField(name, isRecord(field) ? field : {}, required.has(name), ask, tell);
    if (value === declined) return { action: 'decline' };
    if (value !== undefined) content.push([name, value]);
  }
  if (!(await isYes(ask, 'Send this answer?'))) return { action: 'decline' };
  return { action: 'accept', content: Object.fromEntries(content) };
}

/** The answer to the workbench's own question whether a call may be sent. A command is one call, so there is no more to choose. */
export async function answerApproval(
  params: JsonObject,
  ask: AskLine,
  tell: (text: string) => void,
): Promise<JsonObject> {
  tell(textOf(params['message']) ?? '');
  const isAgreed = await isYes(ask, 'Call it?');
  return isAgreed ? { action: 'accept', content: { answer: 'once' } } : { action: 'decline' };
}

const declined = Symbol('declined');

async function askField(
  name: string,
  field: JsonObject,
  isRequired: boolean,
  ask: AskLine,
  tell: (text: string) => void,
): Promise<unknown> {
  const { description, default: preset } = field;
  const choices = choicesOf(field);
  const kind = choices.length > 0 ? choices.join(' | ') : (textOf(field['type']) ?? 'text');
  if (typeof description === 'string') tell(`  ${description}`);
  const shownPreset = preset === undefined ? (isRequired ? '' : ' [none]') : ` [${JSON.stringify(preset)}]`;
  for (let tries = 0; tries < maxTries; tries++) {
    const line = await ask(`  ${name} (${kind})${shownPreset}: `);
    if (line === undefined) return declined;
    if (line === '' && (preset !== undefined || !isRequired)) return preset;
    const value = valueFrom(line, field, choices);
    if (value !== undefined) return value;
    tell(`  expected ${kind}`);
  }
  return declined;
}

function valueFrom(line: string, { type }: JsonObject, choices: readonly string[]): unknown {
  if (type === 'array') return listFrom(line, choices);
  if (choices.length > 0) return choices.find((choice) => choice === line);
  switch (type) {
    case 'boolean':
      return /^(?:y|yes|true)$/i.test(line) ? true : /^(?:n|no|false)$/i.test(line) ? false : undefined;
    case 'number':
    case 'integer': {
      const value = line.trim() === '' ? Number.NaN : Number(line);
      return Number.isFinite(value) && (type === 'number' || Number.isInteger(value)) ? value : undefined;
    }
    default:
      return line === '' ? undefined : line;
  }
}

/** Several of the choices, with commas. */
function listFrom(line: string, choices: readonly string[]): readonly string[] | undefined {
  const items = line
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  return items.every((item) => choices.length === 0 || choices.includes(item)) ? items : undefined;
}

/** In the forms of all revisions: `enum`, or titled with `oneOf` and `anyOf`, of the field or of its items. */
function choicesOf(field: JsonObject): string[] {
  const of = isRecord(field['items']) ? field['items'] : field;
  if (Array.isArray(of['enum'])) return of['enum'].map(String);
  const titled: unknown[] = [of['oneOf'], of['anyOf']].flatMap((list): unknown[] => (Array.isArray(list) ? list : []));
  return titled.flatMap((one) => (isRecord(one) && typeof one['const'] === 'string' ? [one['const']] : []));
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

async function isYes(ask: AskLine, question: string): Promise<boolean> {
  return /^\s*y(?:es)?\s*$/i.test((await ask(`${question} [y/N] `)) ?? '');
}
