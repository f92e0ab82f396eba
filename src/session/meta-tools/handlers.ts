import { isWorkbenchError } from '../../contract/errors.js';
import type { UseToolInput } from '../../contract/types.js';
import type { JsonObject } from '../../jsonrpc/json.js';
import { rpcCode } from '../../jsonrpc/messages.js';
import { begin } from '../../jsonrpc/reply.js';
import { RequestProblem } from '../../jsonrpc/request-problem.js';
import type { Log } from '../../platform/log.js';
import { type ToolResult, ValueResult } from '../../results/tool-result.js';
import { shorten } from '../../text/shorten.js';
import type { Workbench } from '../../workbench/workbench.js';
import type { AgentRequest } from '../questions/agent-request.js';
import type { MetaCalls } from '../questions/meta-calls.js';
import { answer, fullText } from './answers.js';
import type { Callable } from './correction.js';
import { parseOpen, parseUse } from './input.js';
import { plainOpen, plainUse } from './plain-input.js';

const maxNameChars = 200;

/** Handles the requests of an agent, in either protocol era. */
export interface Handlers {
  callTool(params: JsonObject, request: AgentRequest): PromiseLike<ToolResult>;
  readResource(params: JsonObject, request: AgentRequest): Promise<JsonObject>;
}

export function createHandlers(workbench: Workbench, { openToolbox, useTool }: MetaCalls, log: Log): Handlers {
  const callable = (): Callable => ({
    toolboxes: workbench.overview().toolboxes.map(({ name }) => name),
    toolsNamed: (name) => workbench.knownTools(name),
  });

  async function open(input: unknown, request: AgentRequest): Promise<ToolResult> {
    return openToolbox(plainOpen(input) ?? (await parseOpen(input, callable())), request);
  }

  function use(input: unknown, request: AgentRequest): PromiseLike<ToolResult> {
    const plain = plainUse(input);
    return plain === undefined
      ? parseUse(input, callable()).then((wanted) => useOrRead(wanted, request))
      : useTool(plain, request);
  }

  /** A kept result is read where it is kept, if its tool may be used now. */
  function useOrRead(wanted: UseToolInput, request: AgentRequest): PromiseLike<ToolResult> {
    if (wanted.result?.of === undefined) return useTool(wanted, request);
    const { agent, signal } = request;
    return workbench.assertUsable(wanted.tool, { agent, signal }).then(() => new ValueResult({ content: [] }));
  }

  return {
    callTool({ name, arguments: given }, request) {
      const input = given ?? {};
      switch (name) {
        case 'open_toolbox':
          return answer(log, open(input, request));
        case 'use_tool':
          return answer(
            log,
            begin(() => use(input, request)),
          );
        default:
          return unknownTool(name);
      }
    },

    async readResource({ uri }, { agent, signal, onProgress, meta }) {
      if (typeof uri !== 'string') throw new RequestProblem(rpcCode.invalidParams, 'uri: Expected string');
      try {
        return await workbench.readResource(uri, { agent, signal, onProgress, meta });
      } catch (error) {
        if (!isWorkbenchError(error)) throw error;
        const code = error.code === 'RESOURCE_NOT_FOUND' ? rpcCode.invalidParams : rpcCode.internalError;
        throw new RequestProblem(code, fullText(error), { uri });
      }
    },
  };
}

async function unknownTool(name: unknown): Promise<never> {
  const shown = shorten(typeof name === 'string' ? JSON.stringify(name) : `a ${typeof name}`, maxNameChars);
  throw new RequestProblem(
    rpcCode.invalidParams,
    `Unknown tool: ${shown}. The tools are open_toolbox and use_tool; call a toolbox's tools through use_tool.`,
  );
}
