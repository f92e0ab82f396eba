import { test } from 'vitest';
import type { Agent, Flavour, Question, User } from './agents.js';
import { devToolbox, type ServerEntry, type TestConfig } from './configs.js';
import { fixture } from './servers.js';
import { until } from './until.js';
import { initialize, type Message, modern, type RunningWorkbench, startWorkbench } from './workbench.js';

export type Era = 'legacy' | 'modern';

export interface Combination {
  readonly agent: Era;
  readonly server: Era;
}

/** Who meets whom, in the order of the columns of the table in docs/protocol.md. */
export const combinations: readonly Combination[] = [
  { agent: 'legacy', server: 'legacy' },
  { agent: 'legacy', server: 'modern' },
  { agent: 'modern', server: 'legacy' },
  { agent: 'modern', server: 'modern' },
];

type Row = readonly [string, string, string, string];
const all = (how: string): Row => [how, how, how, how];
const asked: Row = ['asked at once', 'asked at once', 'parked', 'passed through'];

/** What passes, and how, per combination: the table in docs/protocol.md. Each row is tested, cell by cell, by a `forwards` of its name. */
export const facts = {
  progress: all("under the agent's own token"),
  cancellation: all('reaches the server'),
  '`_meta` of the call': all('but for `io.modelcontextprotocol/*`'),
  '`_meta` of the result': all("but for the server's identity"),
  'every kind of content': all('as it is'),
  'unknown kinds of content': all('as text'),
  'unknown fields': all('as they are'),
  'structured content': ['in an object', 'in an object', 'as it is', 'as it is'],
  'errors of a tool (`isError`)': all('as they are'),
  'JSON-RPC errors': all('`isError`, with code and message'),
  'elicitation, form': asked,
  'elicitation, url': asked,
  sampling: asked,
  roots: asked,
  'several questions in one call': asked,
  'answers that decline or cancel': all('as they are'),
  'a question that the agent cannot be asked': all('refused at once'),
  'resource links': all('read from the server they came from'),
  'instructions of the server': all('in the answer of `open_toolbox`'),
  '`outputSchema`': all('listed, results not checked'),
} as const satisfies Readonly<Record<string, Row>>;

/** Tests one row of the table in all four combinations. */
export function forwards(
  fact: keyof typeof facts,
  check: (combination: Combination, how: string) => Promise<void>,
): void {
  for (const [index, combination] of combinations.entries()) {
    const how = facts[fact][index] ?? '';
    const title = `${fact}, from a ${combination.agent} agent to a ${combination.server} server and back: ${how}`;
    test(title, () => check(combination, how));
  }
}

/** The SDK's client of an era. */
export function flavourOf(era: Era): Flavour {
  return era === 'legacy' ? 'v2 legacy' : 'v2 modern';
}

/** The scripted server as it speaks in an era. */
export function serverOf(era: Era, ...flags: (string | number)[]): ServerEntry {
  return fixture(...(era === 'modern' ? ['--modern'] : []), ...flags);
}

/** One toolbox `dev` with one server `any`. */
export function oneServer(era: Era, ...flags: (string | number)[]): TestConfig {
  return devToolbox({ any: serverOf(era, ...flags) });
}

/** Can be asked everything. */
export const everything = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** Someone who notes what is asked. */
export interface NotingUser extends User {
  readonly asked: { readonly method: string; readonly params: Question }[];
}

export function userWho(answer: User['answer'], capabilities: User['capabilities'] = everything): NotingUser {
  const questions: NotingUser['asked'] = [];
  return {
    capabilities,
    asked: questions,
    answer(method, params) {
      questions.push({ method, params });
      return answer(method, params);
    },
  };
}

/** Calls the tool that asks the user round by round; the answers that it got. */
export async function askUser(agent: Agent, ...rounds: object[]): Promise<unknown> {
  const result = await agent.use('dev', 'any', 'ask_user', { rounds });
  if (result.isError === true) throw new Error(JSON.stringify(result.content));
  return JSON.parse(result.content[0]?.text ?? '');
}

/** An agent with bare pipes: nothing is added to or taken from what it sends and gets. */
export interface RawAgent {
  readonly workbench: RunningWorkbench;
  /** Sends a `use_tool`; the id it has. */
  send(name: string, args?: unknown, more?: { meta?: object; params?: object }): string;
  use(name: string, args?: unknown, more?: { meta?: object; params?: object }): Promise<Message>;
  request(method: string, params: object): Promise<Message>;
  /** What came from the workbench under this method: notifications, and questions to the agent. */
  received(method: string): Message[];
  /** Waits for the nth of them. */
  next(method: string, nth?: number): Promise<Message>;
}

export async function connectRaw(era: Era, config: TestConfig, capabilities: object = {}): Promise<RawAgent> {
  const workbench = startWorkbench({ config });
  if (era === 'legacy') await initialize(workbench, '2025-11-25', capabilities);
  const inEra = (params: object, meta: object = {}) =>
    era === 'modern' ? modern(params, capabilities, meta) : { ...params, _meta: meta };
  let calls = 0;
  const send: RawAgent['send'] = (name, args, { meta = {}, params = {} } = {}) => {
    const id = `call-${++calls}`;
    const call = { tool: { toolbox: 'dev', server: 'any', name }, ...(args === undefined ? {} : { arguments: args }) };
    workbench.send({ id, method: 'tools/call', params: inEra({ name: 'use_tool', arguments: call, ...params }, meta) });
    return id;
  };
  const received = (method: string) =>
    workbench.lines.map((line): Message => JSON.parse(line)).filter((message) => message.method === method);
  return {
    workbench,
    send,
    use: (...call) => workbench.answerTo(send(...call)),
    request: (method, params) => workbench.request(method, inEra(params)),
    received,
    next: (method, nth = 1) => until(() => received(method)[nth - 1], { what: `${method} number ${nth}` }),
  };
}
