import { test } from 'vitest';
import { type Agent, connectAgent, type Flavour, type Question, type User } from './agents.js';
import { devToolbox, type ServerEntry, type TestConfig } from './configs.js';
import * as inProcess from './in-process.js';
import { allOverHttp } from './remote.js';
import { fixture } from './servers.js';
import { until } from './until.js';
import { initialize, type Message, modern, type RunningWorkbench, startWorkbench } from './workbench.js';

/** The built program, with a host: the other way to start a session is in this process. */
export const program = { connectAgent, startWorkbench };

export type Era = 'legacy' | 'modern';

export interface Combination {
  readonly agent: Era;
  readonly server: Era;
}

/** In the order of the columns of the table in docs/internals/protocol.md. */
export const combinations: readonly Combination[] = [
  { agent: 'legacy', server: 'legacy' },
  { agent: 'legacy', server: 'modern' },
  { agent: 'modern', server: 'legacy' },
  { agent: 'modern', server: 'modern' },
];

type Row = readonly [string, string, string, string];
const all = (how: string): Row => [how, how, how, how];
const asked: Row = ['asked at once', 'asked at once', 'parked', 'passed through'];

/** What is forwarded, and how, per combination: the table in docs/internals/protocol.md. A `forwards` of its name tests every cell of a row. */
export const facts = {
  progress: all("under the agent's own token"),
  cancellation: all('reaches the server'),
  '`_meta` of the call': all('except `io.modelcontextprotocol/*`'),
  '`_meta` of the result': all("except the server's identity"),
  'every kind of content': all('unchanged'),
  'unknown kinds of content': all('as text'),
  'unknown fields': all('unchanged'),
  'structured content': ['in an object', 'in an object', 'unchanged', 'unchanged'],
  'errors of a tool (`isError`)': all('unchanged'),
  'JSON-RPC errors': all('`isError`, with code and message'),
  'elicitation, form': asked,
  'elicitation, url': asked,
  sampling: asked,
  'roots, if the server has `"roots": true`': asked,
  'roots, if not': all('refused at once'),
  'changes of roots': ['reach the server', 'not sent', 'reach the server', 'not sent'],
  'several questions in one call': asked,
  'answers that decline or cancel': all('unchanged'),
  'a question that the agent does not support': all('refused at once'),
  'resource links': all('read from the server they came from'),
  'instructions of the server': all('in the result of `open_toolbox`'),
  'tools that need tasks': all('called as tasks'),
  'questions of a task': ['asked at once', 'asked at once', 'parked', 'parked'],
  '`outputSchema`': all('listed, results not checked'),
} as const satisfies Readonly<Record<string, Row>>;

/** A combination, the way to its servers, and the session between. */
export interface Route extends Combination {
  /** The configuration by which they are reached. */
  readonly to: (config: TestConfig) => Promise<TestConfig>;
  /** A client of the agent's era. */
  readonly connect: (config: TestConfig, user?: User) => Promise<Agent>;
  readonly connectRaw: (config: TestConfig, capabilities?: object) => Promise<RawAgent>;
}

/**
 * Tests one row of the table in all four combinations, over stdio and over HTTP: once through the program, with a host, and otherwise
 * in this process. Each row goes through the program with another combination.
 */
export function forwards(fact: keyof typeof facts, check: (route: Route, how: string) => Promise<void>): void {
  const routes = combinations.flatMap((combination, index) =>
    (['stdio', 'HTTP'] as const).map((way) => ({ combination, way, how: facts[fact][index] ?? '' })),
  );
  const throughProgram = Object.keys(facts).indexOf(fact) % routes.length;
  for (const [index, { combination, way, how }] of routes.entries()) {
    const { agent, server } = combination;
    const answers = agent === 'legacy' ? 'sse' : 'json';
    const start = index === throughProgram ? program : inProcess;
    const title = `${fact}, from a ${agent} agent to a ${server} server and back`;
    const route: Route = {
      ...combination,
      to: async (config) => (way === 'stdio' ? config : allOverHttp(config, { sessions: true, answers })),
      connect: (config, user) => start.connectAgent(flavourOf(agent), { config }, user),
      connectRaw: (config, capabilities) => connectRaw(agent, config, capabilities, start),
    };
    const where = `${way === 'HTTP' ? ', over HTTP' : ''}${start === program ? ', through the program' : ''}`;
    test(`${title}${where}: ${how}`, () => check(route, how));
  }
}

/** The SDK's client of an era. */
export function flavourOf(era: Era): Flavour {
  return era === 'legacy' ? 'v2 legacy' : 'v2 modern';
}

/** The scripted server in an era. */
export function serverOf(era: Era, ...flags: (string | number)[]): ServerEntry {
  return fixture(...(era === 'modern' ? ['--modern'] : []), ...flags);
}

/** One toolbox `dev` with one server `any`. */
export function oneServer(era: Era, ...flags: (string | number)[]): TestConfig {
  return devToolbox({ any: serverOf(era, ...flags) });
}

/** The same with a server that is offered roots. */
export function offeringRoots(era: Era, ...flags: (string | number)[]): TestConfig {
  return devToolbox({ any: { ...serverOf(era, ...flags), roots: true } });
}

/** The capabilities of an agent that supports every question. */
export const everything = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** Records every question. */
export interface RecordingUser extends User {
  readonly asked: { readonly method: string; readonly params: Question }[];
}

export function userWho(answer: User['answer'], capabilities: User['capabilities'] = everything): RecordingUser {
  const questions: RecordingUser['asked'] = [];
  return {
    capabilities,
    asked: questions,
    answer(method, params) {
      questions.push({ method, params });
      return answer(method, params);
    },
  };
}

/** Calls the tool that asks the user round by round. Returns the answers that the tool received. */
export async function askUser(agent: Agent, ...rounds: object[]): Promise<unknown> {
  const result = await agent.use('dev', 'any', 'ask_user', { rounds });
  if (result.isError === true) throw new Error(JSON.stringify(result.content));
  return JSON.parse(result.content[0]?.text ?? '');
}

/** An agent on bare pipes: nothing is added to or removed from the messages. */
export interface RawAgent {
  readonly workbench: RunningWorkbench;
  /** Sends a `use_tool`. Returns the id of the request. */
  send(name: string, args?: unknown, more?: { meta?: object; params?: object }): string;
  use(name: string, args?: unknown, more?: { meta?: object; params?: object }): Promise<Message>;
  request(method: string, params: object): Promise<Message>;
  /** Messages from the workbench with this method: notifications, and questions to the agent. */
  received(method: string): Message[];
  /** Waits for the nth of them. */
  next(method: string, nth?: number): Promise<Message>;
}

export async function connectRaw(
  era: Era,
  config: TestConfig,
  capabilities: object = {},
  start: Pick<typeof program, 'startWorkbench'> = inProcess,
): Promise<RawAgent> {
  const workbench = start.startWorkbench({ config });
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
