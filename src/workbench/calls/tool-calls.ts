import type { ServerConfig } from '../../config/config.js';
import { CancelledByUser, NotSent } from '../../contract/downstream-failure.js';
import type { Tool, ToolIdentifier } from '../../contract/types.js';
import type { JsonObject } from '../../jsonrpc/json.js';
import { begin } from '../../jsonrpc/reply.js';
import type { ToolResult } from '../../results/tool-result.js';
import type { LoginQuestions } from '../asking/login-questions.js';
import type { Catalog } from '../opening/catalog.js';
import type { CallOptions } from '../ports/downstream.js';
import type { HandledCallOptions } from '../ports/running-calls.js';
import { EntryChanged, type ToolCall } from '../rules/asking-call.js';
import { assertCallable, type RuledCalls } from '../rules/ruled-calls.js';
import { hasRules } from '../rules/verdict.js';
import { callFailed, cancelledByUser, connectFailedFor, endedByUser, isRpcError } from '../servers/failures.js';
import { NotStarted, type Supervisor } from '../servers/supervised-server.js';
import { explanationOf, withExplanation } from './explanation.js';
import type { Finder } from './find-tool.js';
import { needsTasks } from './needs-tasks.js';
import type { CallReports } from './report-calls.js';
import type { ResourceRoutes } from './resource-routes.js';
import { refuseRoots } from './unoffered-roots.js';

export type UseTool = (
  identifier: ToolIdentifier,
  args?: JsonObject,
  options?: HandledCallOptions,
) => PromiseLike<ToolResult>;

export interface ToolCallsOptions {
  readonly find: Finder;
  readonly catalog: Catalog;
  readonly routes: ResourceRoutes;
  readonly logins: LoginQuestions;
  readonly ruledCalls: RuledCalls;
  readonly reports: CallReports;
  /** Throws if the workbench is shutting down. */
  readonly assertOpen: () => void;
}

/**
 * Calls tools. Where nothing is in the way (the server is ready, no rule asks, no login is needed) a call goes to the server
 * without a promise: see Reply.
 */
export function createToolCalls(surroundings: ToolCallsOptions): UseTool {
  const { find, catalog, routes, logins, ruledCalls, reports, assertOpen } = surroundings;

  /** `isApproved`: a person has agreed to it, if that is needed. */
  function callOnce(call: ToolCall, isApproved: boolean): PromiseLike<ToolResult> {
    const { tool: id } = call;
    const server = find.server(id);
    if (server.server.disabled) return refuseDisabled(server.server);
    const tool = server.readyTool(id.name);
    return tool === undefined ? findAndSend(server, call, isApproved) : send(server, tool, call, isApproved);
  }

  async function refuseDisabled(entry: ServerConfig): Promise<never> {
    throw await connectFailedFor(entry, 'it is disabled in the configuration');
  }

  async function findAndSend(server: Supervisor, call: ToolCall, isApproved: boolean): Promise<ToolResult> {
    const { tool: id, options: given } = call;
    if (hasRules(server.server)) await assertKnownCallable(server, id.name, isApproved);
    return send(server, await find.tool(server, id, given), call, isApproved);
  }

  /** Runs before the server is started: a call that needs approval must not start it. */
  async function assertKnownCallable({ server }: Supervisor, name: string, isApproved: boolean): Promise<void> {
    const tool = (await catalog.known(server))?.tools.find((known) => known.name === name);
    if (tool !== undefined) assertCallable(server, tool, isApproved);
  }

  function send(server: Supervisor, tool: Tool, call: ToolCall, isApproved: boolean): PromiseLike<ToolResult> {
    const { tool: id, args, options: given } = call;
    const entry = server.server;
    assertCallable(entry, tool, isApproved);
    const options = needsTasks(tool) ? { ...given, asTask: true as const } : given;
    return server.call(id.name, args, options, entry).then(
      (result) => {
        if (result.isInputRequired && !server.server.roots) refuseRoots(result, id);
        routes.learn(result, id);
        return result.isError ? explained(result, tool, call) : result;
      },
      (cause: unknown) => failed(cause, tool, call),
    );
  }

  async function explained(result: ToolResult, tool: Tool, { args }: ToolCall): Promise<ToolResult> {
    return withExplanation(result, await explanationOf(tool, args));
  }

  async function failed(cause: unknown, tool: Tool, { tool: id, args, options }: ToolCall): Promise<never> {
    if (cause instanceof EntryChanged) throw cause;
    if (isCancelledByUser(options))
      throw cancelledByUser(id, !(cause instanceof NotStarted || cause instanceof NotSent));
    throw callFailed(id, cause, isRpcError(cause) ? await explanationOf(tool, args) : undefined);
  }

  /** A person can fix two failures: by a login, or by approving the call. */
  async function recover(error: unknown, call: ToolCall, isApproved: boolean): Promise<ToolResult> {
    const { tool: id, options: given } = call;
    let cause = error;
    if (await logins.ask(error, id, given)) {
      try {
        return await approved(await callOnce(call, isApproved), call, isApproved);
      } catch (another) {
        cause = another;
      }
    }
    const again = (is: boolean) => logins.around(id, given, () => callOnce(call, is));
    return ruledCalls.sendAfter(cause, call, again, isApproved);
  }

  async function approved(result: ToolResult, call: ToolCall, isApproved: boolean): Promise<ToolResult> {
    if (isApproved) await ruledCalls.ended(result, call);
    return result;
  }

  /** `number`: of the call, for reports. */
  function run(call: ToolCall, number: number, began: number, isApproved: boolean): PromiseLike<ToolResult> {
    const { tool: id, options: given } = call;
    const report = (result: ToolResult) => {
      reports.result(id, result, number, began, given);
      return result;
    };
    const reportAndThrow = (error: unknown): never => {
      const told = isCancelledByUser(given) ? endedByUser(error, id) : error;
      reports.failure(id, told, number, began, given);
      throw told;
    };
    const start = () => {
      assertOpen();
      return callOnce(call, isApproved);
    };
    return begin(start).then(
      (result) => (isApproved ? approved(result, call, true).then(report, reportAndThrow) : report(result)),
      (error: unknown) => recover(error, call, isApproved).then(report, reportAndThrow),
    );
  }

  return (id, args = {}, given = {}) => {
    const began = performance.now();
    const number = reports.next();
    given.handle?.begun(number, id);
    const call = { tool: id, args, options: given };
    if (given.budget?.approval === undefined) return run(call, number, began, false);
    return ruledCalls.isCarriedOn(call).then(
      (isApproved) => run(call, number, began, isApproved),
      (error: unknown) => {
        reports.failure(id, error, number, began, given);
        throw error;
      },
    );
  };
}

function isCancelledByUser({ signal }: CallOptions): boolean {
  return signal?.reason instanceof CancelledByUser;
}
