import type { Config, ServerConfig } from '../../src/config/config.js';
import type { ToolLock } from '../../src/config/lock-file/tool-lock.js';
import { CancelledByUser, DownstreamFailure } from '../../src/contract/downstream-failure.js';
import { type ErrorCode, WorkbenchError } from '../../src/contract/errors.js';
import type { CallToolResult } from '../../src/contract/types.js';
import { withoutTasks } from '../../src/downstream/protocol/tool-calls.js';
import { Cancellation } from '../../src/jsonrpc/cancellation.js';
import { loadPart } from '../../src/platform/load-part.js';
import { silentLog } from '../../src/platform/log.js';
import { resultGone } from '../../src/results/kept/result-gone.js';
import type { ToolResult } from '../../src/results/tool-result.js';
import { loginsForbidden } from '../../src/serve/http/login/advice.js';
import { lostCall } from '../../src/session/lost-calls.js';
import { answer } from '../../src/session/meta-tools/answers.js';
import { parseUse } from '../../src/session/meta-tools/input.js';
import type { AgentRequest } from '../../src/session/questions/agent-request.js';
import { createMetaCalls } from '../../src/session/questions/meta-calls.js';
import { createWorkbench } from '../../src/workbench/workbench.js';
import { configOf, connectTo, FakeServer, fakeAgent, pending, serverConfig } from './fake-port.js';

const nothingKnown = { toolboxes: [], toolsNamed: async () => [] };
const readFile = { toolbox: 'dev', server: 'files', name: 'read_file' };

/** One text per code that an agent can get, made by the real code over the fake of the port. */
export async function errorExamples(): Promise<Partial<Record<ErrorCode, string>>> {
  const { files, search } = fakes();
  const workbench = createWorkbench(config, connectTo({ files, search, api: search }), silentLog);
  const read = (name = 'read_file') => workbench.useTool({ toolbox: 'dev', server: 'files', name });
  const failing = (failure: DownstreamFailure) => {
    files.onCall = () => Promise.reject(failure);
    return read();
  };
  const asking = (method: string, request: AgentRequest, params = {}) => {
    files.onCall = async () => ({ resultType: 'input_required', inputRequests: { question: { method, params } } });
    const call = { tool: readFile, arguments: {} };
    return createMetaCalls(workbench, new Cancellation(), silentLog).useTool(call, request);
  };
  const cancelled = () => {
    const signal = new Cancellation();
    files.onCall = () => {
      signal.cancel(new CancelledByUser());
      return Promise.reject(new CancelledByUser());
    };
    return workbench.useTool(readFile, {}, { signal });
  };
  const find = () => workbench.useTool({ toolbox: 'dev', server: 'search', name: 'find' });

  return Object.fromEntries([
    await example(async () => parseUse({ tool: { toolbox: 'dev', server: 'files' } }, nothingKnown)),
    await example(() => workbench.openToolbox('x')),
    await example(() => workbench.useTool({ toolbox: 'dev', server: 'git', name: 'log' })),
    await example(() => read('read_fil')),
    await example(find),
    await example(() => workbench.openToolbox('prod')),
    await example(() => {
      search.onStart = untilAborted;
      return find();
    }),
    await example(() => busy(files, read)),
    await example(() => useLocked()),
    await example(() => Promise.reject(withoutTasks(readFile, 'index_all'))),
    await example(() => read('delete_file')),
    await example(() => asking('sampling/createMessage', agentRequest)),
    await example(() => asking('elicitation/create', agentRequest, { url: 'http://example.com' })),
    await example(() => asking('elicitation/create', agentRequest)),
    await example(() => failing(needsLoginOfService())),
    await example(() => workbench.readResource('notes://1')),
    await example(() => Promise.reject(resultGone('r7'))),
    await example(() => failing(new DownstreamFailure('crashed', 'it exited with code 1'))),
    await example(() => failing(new DownstreamFailure('timeout', 'no answer within 300000 ms (callTimeoutMs)'))),
    await example(() => cancelled()),
    await example(() => Promise.reject(lostCall({ name: 'use_tool', arguments: { tool: readFile } }))),
    await example(() => loadPart(() => Promise.reject(new Error('no such file')))),
    await example(() => workbench.close().then(() => read())),
  ]);
}

function needsLoginOfService(): DownstreamFailure {
  const login = { isOfService: true, begin: undefined };
  return new DownstreamFailure('unauthorized', `needs a login: ${loginsForbidden}`, { login });
}

/** A tool that is not what was approved, with a lock that holds. */
function useLocked(): PromiseLike<ToolResult> {
  const approved = { tools: new Map([['read_file', [{ copy: {} }]]]), instructions: [] };
  const lock: ToolLock = {
    file: '/home/me/workbench-config.lock.json',
    configOptions: [],
    revision: 0,
    problem: undefined,
    refresh: async () => {},
    ready: async () => {},
    approved: () => approved,
    add: () => {},
  };
  const files = serverConfig({ name: 'files', file: '/home/me/workbench-config.json', lock: 'strict' });
  const options = { locks: { of: () => lock, flush: async () => {} }, isFrozen: false };
  const connect = connectTo({ files: fakes().files });
  const workbench = createWorkbench(configOf([files]), connect, silentLog, { lock: options });
  return workbench.useTool({ toolbox: 'dev', server: 'files', name: 'read_file' });
}

function fakes(): { files: FakeServer; search: FakeServer } {
  const files = new FakeServer();
  files.tools = ['read_file', 'delete_file'];
  const search = new FakeServer();
  search.onStart = () => Promise.reject(new DownstreamFailure('unreachable', "command 'uvx' not found in PATH"));
  return { files, search };
}

/** From an agent that supports forms, and whose user closes them. */
const agentRequest: AgentRequest = {
  agent: fakeAgent({
    capabilities: { elicitation: {} },
    ask: () => Promise.reject(new Error('User rejected the request')),
  }),
  signal: new AbortController().signal,
  onProgress: () => {},
  meta: {},
  isModern: false,
  requestState: undefined,
  inputResponses: undefined,
};

const server = (toolbox: string, name: string): ServerConfig =>
  serverConfig({
    toolbox,
    name,
    file: '/etc/workbench-config.json',
    rules: [{ from: 'server', deny: [], ask: ['delete_*'], allow: [] }],
    limits: { maxConcurrentCalls: 2, maxQueuedCalls: 0 },
  });

const dev = configOf([server('dev', 'files'), server('dev', 'search')], 200);
const prod = { name: 'prod', description: 'In production', servers: new Map([['api', server('prod', 'api')]]) };
const config: Config = { ...dev, toolboxes: new Map([...dev.toolboxes, ['prod', prod]]) };

/** The code of the thrown error, and the text that the agent reads. */
async function example(attempt: () => PromiseLike<unknown>): Promise<[code: string, text: string]> {
  let thrown: unknown;
  const failing = async (): Promise<ToolResult> => {
    try {
      await attempt();
    } catch (error) {
      thrown = error;
      throw error;
    }
    throw new Error('nothing went wrong');
  };
  const result = await answer(silentLog, failing());
  if (!(thrown instanceof WorkbenchError)) throw new Error('no error of ours', { cause: thrown });
  return [thrown.code, String(result.value().content?.[0]?.['text'])];
}

async function busy(files: FakeServer, read: () => PromiseLike<unknown>): Promise<void> {
  const release = pending<CallToolResult>();
  files.onCall = () => release.promise;
  const running = [read(), read()];
  try {
    await read();
  } finally {
    release.resolve({ content: [] });
    await Promise.all(running);
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
}
