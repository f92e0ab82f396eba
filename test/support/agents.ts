import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioClientTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import type { OpenToolboxResult, Tool } from '../../src/contract/types.js';
import { handled } from './handled.js';
import { type Launch, type LaunchOptions, prepareLaunch, stopWhenTestFinishes } from './launch.js';

/** Real clients: version 2 of the SDK in both protocol eras, and version 1. */
export const flavours = ['v2 legacy', 'v2 modern', 'v1'] as const;
export type Flavour = (typeof flavours)[number];
/** One client per protocol era. */
export const eras = ['v2 legacy', 'v2 modern'] as const satisfies readonly Flavour[];

/** A result as received, unknown fields included. */
export interface RawResult {
  readonly content: readonly { readonly type: string; readonly text?: string; readonly [field: string]: unknown }[];
  readonly isError?: boolean;
  readonly structuredContent?: unknown;
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** The user and the model behind a client: supported questions, and the answers. */
export interface User {
  readonly capabilities: Readonly<Record<string, object>>;
  readonly answer: (method: string, params: Question) => object | Promise<object>;
  /** The name that the client reports. */
  readonly clientName?: string;
}

/** The parameters of a question, as the client library passes them. */
export interface Question {
  readonly message?: string;
  readonly mode?: string;
  readonly url?: string;
  readonly elicitationId?: string;
  readonly requestedSchema?: object;
  readonly messages?: readonly object[];
  readonly maxTokens?: number;
}

export interface RequestOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: object) => void;
}

export interface Agent {
  readonly pid: number;
  readonly marker: string;
  readonly dir: string;
  readonly instructions: string;
  stderr(): string;
  listTools(): Promise<Tool[]>;
  /** Calls a meta-tool with any arguments. The result is as received, not as parsed by the client library. */
  call(metaTool: string, args: unknown): Promise<RawResult>;
  /** The same with the library's own `callTool`, which validates the result. */
  callTool(metaTool: string, args: Record<string, unknown>): Promise<RawResult>;
  /** Any request. The result is as received. */
  request(method: string, params: Record<string, unknown>, options?: RequestOptions): Promise<Record<string, unknown>>;
  /** With the library's own `readResource`, which validates the result. */
  readResource(uri: string): Promise<object>;
  open(toolbox: string): Promise<RawResult>;
  use(toolbox: string, server: string, name: string, args?: unknown): Promise<RawResult>;
  close(): Promise<void>;
}

/** What the two libraries have in common, as far as the tests need it. */
interface Connection {
  readonly instructions: string | undefined;
  readonly listTools: () => Promise<Tool[]>;
  readonly request: (
    method: string,
    params: Record<string, unknown>,
    options?: RequestOptions,
  ) => Promise<Record<string, unknown>>;
  readonly readResource: (uri: string) => Promise<object>;
  readonly callTool: (name: string, args: Record<string, unknown>) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

type Transport = Parameters<Client['connect']>[0];
type TransportV1 = Parameters<ClientV1['connect']>[0];

const noUser: User = {
  capabilities: {},
  answer: () => {
    throw new Error('this client answers no questions');
  },
};

const clientInfo = (name = 'test-agent') => ({ name, version: '1.0.0' });

/** A client that reports this name. It answers no questions. */
export const clientNamed = (clientName: string): User => ({ ...noUser, clientName });

/** Starts the built program as a client does. */
export function connectAgent(flavour: Flavour, options: LaunchOptions, user?: User): Promise<Agent> {
  return connectAgentTo(prepareLaunch(options), flavour, user);
}

/** The same with any program, e.g. a server without the workbench. */
export async function connectAgentTo(launch: Launch, flavour: Flavour, user?: User): Promise<Agent> {
  const stderr: string[] = [];
  const transport = new (flavour === 'v1' ? StdioClientTransportV1 : StdioClientTransport)({
    ...launch,
    stderr: 'pipe',
  });
  transport.stderr?.on('data', (chunk: unknown) => void stderr.push(String(chunk)));
  const agent = await connectOver(transport, flavour, user, {
    pid: () => transport.pid ?? 0,
    marker: launch.marker,
    dir: launch.dir,
    stderr: () => stderr.join(''),
  });
  stopWhenTestFinishes(launch.marker, () => agent.close());
  return agent;
}

/** What is at the other end of a transport. */
interface OtherEnd {
  readonly pid: () => number;
  readonly marker: string;
  readonly dir: string;
  readonly stderr: () => string;
}

/** A client over a transport that is not started yet. It is not closed when the test ends. */
export async function connectOver(
  transport: Transport & TransportV1,
  flavour: Flavour,
  user: User = noUser,
  { pid, marker, dir, stderr }: OtherEnd,
): Promise<Agent> {
  const connection =
    flavour === 'v1' ? await connectV1(transport, user) : await connectV2(transport, flavour === 'v2 modern', user);
  const call = (name: string, args: unknown) =>
    handled(connection.request('tools/call', { name, arguments: args }).then(asResult));

  return {
    pid: pid(),
    marker,
    dir,
    instructions: connection.instructions ?? '',
    stderr,
    listTools: connection.listTools,
    call,
    callTool: (name, args) => handled(connection.callTool(name, args).then(asResult)),
    request: (...args) => handled(connection.request(...args)),
    readResource: (uri) => handled(connection.readResource(uri)),
    open: (toolbox) => call('open_toolbox', { toolbox }),
    use: (toolbox, server, name, args) =>
      call('use_tool', { tool: { toolbox, server, name }, ...(args === undefined ? {} : { arguments: args }) }),
    close: connection.close,
  };
}

async function connectV2(
  transport: Transport,
  modern: boolean,
  { capabilities, answer, clientName }: User,
): Promise<Connection> {
  const client = new Client(clientInfo(clientName), {
    capabilities,
    versionNegotiation: { mode: modern ? { pin: '2026-07-28' } : 'legacy' },
  });
  const ask = (method: string) => async (request: { params?: unknown }) =>
    // The library validates it.
    (await answer(method, request.params ?? {})) as never;
  if ('elicitation' in capabilities) client.setRequestHandler('elicitation/create', ask('elicitation/create'));
  if ('sampling' in capabilities) client.setRequestHandler('sampling/createMessage', ask('sampling/createMessage'));
  if ('roots' in capabilities) client.setRequestHandler('roots/list', ask('roots/list'));
  await client.connect(transport);
  return {
    instructions: client.getInstructions(),
    listTools: async () => (await client.listTools()).tools,
    request: (method, params, options) => client.request({ method, params }, z.looseObject({}), options),
    readResource: (uri) => client.readResource({ uri }),
    callTool: (name, args) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  };
}

async function connectV1(transport: TransportV1, { capabilities, answer, clientName }: User): Promise<Connection> {
  const client = new ClientV1(clientInfo(clientName), { capabilities });
  const ask = (method: string) => async (request: { params?: unknown }) =>
    (await answer(method, request.params ?? {})) as never;
  if ('elicitation' in capabilities) client.setRequestHandler(ElicitRequestSchema, ask('elicitation/create'));
  if ('sampling' in capabilities) client.setRequestHandler(CreateMessageRequestSchema, ask('sampling/createMessage'));
  if ('roots' in capabilities) client.setRequestHandler(ListRootsRequestSchema, ask('roots/list'));
  await client.connect(transport);
  return {
    instructions: client.getInstructions(),
    listTools: async () => (await client.listTools()).tools,
    request: (method, params, options) => client.request({ method, params }, ResultSchema, options),
    readResource: (uri) => client.readResource({ uri }),
    callTool: (name, args) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  };
}

function asResult(value: unknown): RawResult {
  if (!isResult(value)) throw new Error(`not the result of a tool: ${JSON.stringify(value)}`);
  return value;
}

function isResult(value: unknown): value is RawResult {
  return typeof value === 'object' && value !== null && 'content' in value && Array.isArray(value.content);
}

/** The text blocks of a result. */
export function text(result: RawResult): string {
  return result.content.map((block) => block.text ?? '').join('\n');
}

/** The JSON in the text of a result that is not an error. */
function json(result: RawResult) {
  if (result.isError === true) throw new Error(`an error came instead: ${text(result)}`);
  return JSON.parse(text(result));
}

/** The result of `open_toolbox`. */
export function opened(result: RawResult): OpenToolboxResult {
  return json(result);
}

/** What a scripted server has received so far. */
export interface Stats {
  readonly pid: number;
  readonly initialize: number;
  readonly discover: number;
  readonly toolsList: number;
  readonly calls: number;
  readonly cancelled: readonly unknown[];
  readonly received: readonly {
    readonly id: unknown;
    readonly name: string;
    readonly arguments?: unknown;
    readonly _meta?: Readonly<Record<string, unknown>>;
    readonly inputResponses?: unknown;
    readonly requestState?: string;
  }[];
  /** The capabilities in `initialize`. */
  readonly offered?: object;
  /** The answers to its questions. */
  readonly answers: readonly {
    readonly id: unknown;
    readonly result?: object;
    readonly error?: { code: number; message: string };
  }[];
}

export async function statsOf(agent: Agent, toolbox: string, server: string): Promise<Stats> {
  return json(await agent.use(toolbox, server, 'stats'));
}
