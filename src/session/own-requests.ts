import { isWorkbenchError, type Place, type WorkbenchError } from '../contract/errors.js';
import type { Tool } from '../contract/types.js';
import { isRecord, type JsonObject } from '../jsonrpc/json.js';
import { RequestProblem } from '../jsonrpc/request-problem.js';
import type { ToolResult } from '../results/tool-result.js';
import type { Observer, ReadyServer, ServerEvent, ServerFailure, WorkbenchEvent } from '../workbench/ports/observer.js';
import type { Workbench } from '../workbench/workbench.js';
import { plainUse } from './meta-tools/plain-input.js';
import type { AgentRequest, UseTool } from './questions/agent-request.js';

/** What our own commands ask over a link. Agents cannot: a conversation passes on none of these methods. */
export const ownMethods = {
  /** Starts a server if need be, and lists its tools. */
  inspect: 'workbench/inspect',
  /** Calls a tool, as `use_tool` does. */
  use: 'workbench/use',
  /** To the command: a notification of what happens to the servers of its session. */
  server: 'workbench/server',
} as const;

/** The key in `_meta` of a question that is the workbench's own. */
export const ownQuestion = 'mcp-workbench/own';

/** What a server lists, and how it was reached. */
export interface Inspected {
  /** Everything that it lists. */
  readonly all: readonly Tool[];
  /** The names of those that the agent sees, of those that ask before a call, and of those that rules deny. */
  readonly shown: readonly string[];
  readonly asks: readonly string[];
  readonly denied: readonly string[];
  readonly instructions?: string | undefined;
  /** How it was reached; it ran already if `isJoined`. */
  readonly ready: ReadyServer;
  /** How long it takes to list its tools again. */
  readonly answerMs?: number | undefined;
}

/** An error of the workbench in `data` of the response. */
export interface OwnFailure {
  readonly code: string;
  readonly hint?: string | undefined;
  readonly place: Place;
  /** Of the server that could not be started. */
  readonly failure?: ServerFailure | undefined;
}

const failureCode = -32_000;

/** Handles the requests of a command of ours. */
export interface OwnRequests {
  handle(method: string, params: JsonObject, request: AgentRequest): Promise<unknown>;
}

/** Passes everything on, and keeps how servers were reached last. */
export function recordStarts(observer: Observer, onEvent: (event: ServerEvent) => void) {
  const latest = new Map<string, ServerEvent>();
  const recording: Observer = {
    report(event) {
      observer.report(event);
      if (!isOfServer(event)) return;
      latest.set(keyOf({ toolbox: event.server.toolbox, server: event.server.name }), event);
      onEvent(event);
    },
  };
  return { observer: recording, latestOf: (name: ServerName) => latest.get(keyOf(name)) };
}

function isOfServer(event: WorkbenchEvent): event is ServerEvent {
  return 'server' in event && typeof event.server === 'object';
}

interface ServerName {
  readonly toolbox: string;
  readonly server: string;
}

function keyOf({ toolbox, server }: ServerName): string {
  return JSON.stringify([toolbox, server]);
}

export function createOwnRequests(
  workbench: Workbench,
  useTool: UseTool,
  latestOf: (name: ServerName) => ServerEvent | undefined,
): OwnRequests {
  async function inspect(
    { toolbox, server, isTimed }: JsonObject,
    { agent, signal }: AgentRequest,
  ): Promise<Inspected> {
    const name = { toolbox: String(toolbox), server: String(server) };
    const { tools, instructions } = await workbench.inspect(name, { agent, signal });
    const answerMs = isTimed === true ? await workbench.roundTrip(name).catch(() => undefined) : undefined;
    const event = latestOf(name);
    const { asks, withheld, all } = tools;
    return {
      all,
      shown: tools.tools.map((tool) => tool.name),
      asks: [...asks],
      denied: [...withheld].filter(([, verdict]) => verdict === 'denied').map(([denied]) => denied),
      instructions,
      ready: event?.is === 'ready' ? startOf(event) : unknownStart,
      answerMs,
    };
  }

  async function use(params: JsonObject, request: AgentRequest): Promise<ToolResult> {
    const { tool, arguments: args } = params;
    const call = plainUse({ tool, arguments: args });
    if (call === undefined) throw new RequestProblem(failureCode, 'Not a call');
    return useTool(call, request);
  }

  return {
    async handle(method, params, request) {
      try {
        if (method === ownMethods.inspect) return await inspect(params, request);
        const result = await use(params, request);
        return result.bytes() === undefined ? result.value() : result;
      } catch (error) {
        if (!isWorkbenchError(error)) throw error;
        throw ownProblem(error, latestOf);
      }
    },
  };
}

/** Without the entry of the server, which has secrets. */
function startOf({ startMs, pid, revision, software, package: from, tools, isJoined }: ReadyServer): ReadyServer {
  return { startMs, pid, revision, software, package: from, tools, isJoined };
}

const unknownStart: ReadyServer = { startMs: 0, pid: undefined, revision: undefined, software: undefined, tools: 0 };

/** An error of the workbench, as a command gets it. */
export function ownProblem(
  { code, message, hint, place }: WorkbenchError,
  latestOf: (name: ServerName) => ServerEvent | undefined = () => undefined,
): RequestProblem {
  const { toolbox, server } = place;
  const event = toolbox === undefined || server === undefined ? undefined : latestOf({ toolbox, server });
  const failure = event?.is === 'failed' ? { kind: event.kind, reason: event.reason } : undefined;
  const data: OwnFailure = { code, hint, place, failure };
  return new RequestProblem(failureCode, message, data);
}

/** Undefined if it is not one. */
export function ownFailureIn(data: unknown): OwnFailure | undefined {
  if (!isRecord(data) || typeof data['code'] !== 'string' || !isRecord(data['place'])) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `ownProblem` of the same build
  return data as unknown as OwnFailure;
}
