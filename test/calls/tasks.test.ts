// @module-tag slow
import { describe, expect, test } from 'vitest';
import type { Progress } from '../../src/workbench/ports/downstream.js';
import { type RawResult, text } from '../support/agents.js';
import { type CallLog, callLog } from '../support/call-log.js';
import { devToolbox, type ServerEntry } from '../support/configs.js';
import { connectRaw, type Era, everything, forwards, type RawAgent, userWho } from '../support/forwarding.js';
import { connectAgent } from '../support/in-process.js';
import { overHttp, type Remote } from '../support/remote.js';
import { unknownOutcome } from '../support/remote-subject.js';
import { fixtureWith, real } from '../support/servers.js';
import { until } from '../support/until.js';
import type { Message } from '../support/workbench.js';

const form = {
  method: 'elicitation/create',
  params: { mode: 'form', message: 'Which one?', requestedSchema: { type: 'object', properties: {} } },
};

interface Subject {
  readonly entry: ServerEntry;
  readonly log: CallLog;
  readonly remote: Remote | undefined;
}

/** The scripted server with the tool `task`, which is nothing but a task. */
async function taskServer(era: Era, wire: 'stdio' | 'HTTP', settings: object = {}): Promise<Subject> {
  const log = callLog();
  const tool = { name: 'task', inputSchema: { type: 'object' } };
  const tools = [era === 'legacy' ? { ...tool, execution: { taskSupport: 'required' } } : tool, 'echo'];
  const flags = ['--tasks', '--log', log.path, ...(era === 'modern' ? ['--modern'] : [])];
  const server = fixtureWith(tools, ...flags);
  const remote = wire === 'HTTP' ? await overHttp(server, { sessions: true, answers: 'sse' }) : undefined;
  return { entry: { ...(remote?.entry ?? server), ...settings }, log, remote };
}

function textOf({ result }: Message): string {
  const { content } = { ...result } as unknown as RawResult;
  return content?.[0]?.text ?? JSON.stringify(result);
}

/** The calls that were not refused for want of the extension. */
function createdBy(log: CallLog, era: Era): number {
  const refused = era === 'modern' ? 1 : 0;
  return log.methods('tools/call').length - refused;
}

function callWith(agent: RawAgent, script: object): string {
  return agent.send('task', script, { meta: { progressToken: 'mine' } });
}

const servers = [
  { era: 'legacy', wire: 'stdio' },
  { era: 'legacy', wire: 'HTTP' },
  { era: 'modern', wire: 'stdio' },
  { era: 'modern', wire: 'HTTP' },
] as const;

forwards('tools that need tasks', async ({ server, to, ...route }) => {
  const { entry, log } = await taskServer(server, 'stdio');
  const agent = await route.connectRaw(await to(devToolbox({ any: entry })));
  const reading = { statusMessage: 'reading\u200B' };
  const result = { content: [{ type: 'text', text: 'all read' }], _meta: { 'example.com/a': 1 } };
  const id = callWith(agent, { states: [reading, reading, { status: 'completed' }], result });
  expect((await agent.workbench.answerTo(id)).result).toMatchObject(result);
  const progress = agent.received('notifications/progress').map(({ params }) => ({ ...(params as Progress) }));
  // On a busy machine there may be signs of life of our own, too.
  const said = progress.filter(({ message }) => !message?.startsWith('running for '));
  expect(said).toEqual([{ progressToken: 'mine', progress: expect.closeTo(0, 4), message: 'reading' }]);
  expect(createdBy(log, server)).toBe(1);
  expect(log.methods('tasks/cancel')).toEqual([]);
  expect(agent.workbench.lines.join()).not.toContain('task-');
  // It is not refused again.
  await agent.use('task', { created: { status: 'completed' } });
  expect(createdBy(log, server)).toBe(2);
});

forwards('questions of a task', async ({ server, to, connect }) => {
  const { entry, log } = await taskServer(server, 'stdio');
  const user = userWho(() => ({ action: 'accept', content: { one: 'that' } }));
  const agent = await connect(await to(devToolbox({ any: entry })), user);
  const asking = { status: 'input_required', statusMessage: 'asks', inputRequests: { which: form } };
  const states = [asking, asking, asking, { status: 'completed' }];
  const script = server === 'legacy' ? { ask: { which: form }, states: [{}, { status: 'completed' }] } : { states };
  const answer = text(await agent.use('dev', 'any', 'task', script));
  expect(JSON.parse(answer)).toEqual({ which: { action: 'accept', content: { one: 'that' } } });
  expect(user.asked.map(({ params }) => params.message)).toEqual(['[dev/any] Which one?']);
  expect(log.methods('tasks/update')).toHaveLength(server === 'modern' ? 1 : 0);
  expect(createdBy(log, server)).toBe(1);
});

describe.each(servers)('a tool of a $era server that is only called as a task, over $wire', ({ era, wire }) => {
  test('that fails or is cancelled by the server fails the call', async () => {
    const { entry, log } = await taskServer(era, wire);
    const agent = await connectRaw('modern', devToolbox({ any: entry }));
    const error = { code: -32_050, message: 'no more paper' };
    const failed = { states: [{ status: 'failed', error }], error };
    const failure = "Tool 'task' of server 'any' (toolbox 'dev') failed: ";
    const [failing, cancelled] = await Promise.all([
      agent.use('task', failed),
      agent.use('task', { states: [{ status: 'cancelled', statusMessage: 'at night' }], error }),
    ]);
    expect(textOf(failing)).toBe(`${failure}the server answered with error -32050: no more paper`);
    const either = [`${failure}the server cancelled its task: at night`, textOf(failing)];
    expect(era === 'modern' ? either.slice(0, 1) : either).toContain(textOf(cancelled));
    expect(log.methods('tasks/cancel')).toEqual([]);
  });

  test('is cancelled at the server at a limit of the call', async () => {
    const { entry, log } = await taskServer(era, wire, { callTotalTimeoutMs: 2_500 });
    const agent = await connectRaw('legacy', devToolbox({ any: entry }));
    expect(textOf(await agent.use('task', { states: [{}] }))).toBe(
      `Tool 'task' of server 'any' (toolbox 'dev') failed: no answer within 2500 ms (callTotalTimeoutMs). ${unknownOutcome}`,
    );
    await until(() => log.methods('tasks/cancel').length === 1);
    expect(createdBy(log, era)).toBe(1);
  });

  test('is cancelled at the server when the agent cancels, and when the agent is gone', async () => {
    const { entry, log } = await taskServer(era, wire);
    const agent = await connectRaw('legacy', devToolbox({ any: entry }));
    const polledTasks = () => new Set(log.methods('tasks/get').map(({ taskId }) => taskId));
    const id = callWith(agent, { states: [{}] });
    await until(() => polledTasks().size === 1);
    agent.workbench.notify('notifications/cancelled', { requestId: id });
    await until(() => log.methods('tasks/cancel').length === 1);
    callWith(agent, { states: [{}] });
    await until(() => polledTasks().size === 2);
    agent.workbench.end();
    await until(() => log.methods('tasks/cancel').length === 2);
    expect(new Set(log.methods('tasks/cancel').map(({ taskId }) => taskId))).toEqual(polledTasks());
    expect(createdBy(log, era)).toBe(2);
  });

  test('that is lost with its server fails the call, and is not created again', async () => {
    const { entry, log, remote } = await taskServer(era, wire);
    const agent = await connectRaw('modern', devToolbox({ any: entry }));
    const call = agent.use('task', { states: [{}], ...(wire === 'stdio' && { dieAtPoll: 2 }) });
    await until(() => log.methods('tasks/get').length === 1);
    await remote?.kill();
    expect(textOf(await call)).toContain(unknownOutcome);
    expect(createdBy(log, era)).toBe(1);
  });
});

test.each(['legacy', 'modern'] as const)(
  'a tool that needs tasks, of a %s server that has none, is listed as it is and refused',
  async (era) => {
    const log = callLog();
    const tool = { name: 'long', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } };
    const entry = fixtureWith([tool], '--log', log.path, ...(era === 'modern' ? ['--modern'] : []));
    const agent = await connectAgent('v2 modern', { config: devToolbox({ any: entry }) });
    expect(JSON.parse(text(await agent.open('dev')))).toMatchObject({ tools: [tool] });
    expect(text(await agent.use('dev', 'any', 'long'))).toBe(
      "Tool 'long' of server 'any' (toolbox 'dev') can only be called as a task, which the server does not support. Use another tool.",
    );
    expect(log.methods('tools/call')).toEqual([]);
  },
);

test.each(['stdio', 'HTTP'] as const)(
  'a tool that may be called as a task is called plainly, over %s',
  async (wire) => {
    const log = callLog();
    const tool = { name: 'echo', inputSchema: { type: 'object' }, execution: { taskSupport: 'optional' } };
    const server = fixtureWith([tool], '--tasks', '--log', log.path);
    const { entry } = wire === 'HTTP' ? await overHttp(server, { sessions: true, answers: 'sse' }) : { entry: server };
    const agent = await connectAgent('v2 legacy', { config: devToolbox({ any: entry }) });
    expect(JSON.parse(text(await agent.open('dev')))).toMatchObject({ tools: [tool] });
    expect(text(await agent.use('dev', 'any', 'echo', { text: 'plain' }))).toContain('plain');
    expect(log.methods('tools/call')).toHaveLength(1);
    expect(log.entries().filter(({ method }) => method?.startsWith('tasks/'))).toEqual([]);
  },
);

describe.each(['v2 legacy', 'v2 modern'] as const)(
  'a client (%s) calls the task-only tool of server-everything',
  (era) => {
    const config = devToolbox({ everything: real.everything() });
    const tool = { toolbox: 'dev', server: 'everything', name: 'simulate-research-query' };

    test('and gets its progress and its result', async () => {
      const agent = await connectAgent(era, { config });
      const seen: Progress[] = [];
      const params = { name: 'use_tool', arguments: { tool, arguments: { topic: 'zebras' } } };
      const result = await agent.request('tools/call', params, { onprogress: (progress) => void seen.push(progress) });
      expect(JSON.stringify(result)).toContain('Research Report: zebras\\n');
      expect(JSON.stringify(result)).not.toContain('related-task');
      // How much of it is seen depends on when the server is asked.
      expect(seen.every(({ message }) => /^[A-Z][a-z]+ [a-z]+\.\.\.$|^running for/.test(message ?? ''))).toBe(true);
    });

    test('and is asked its question in the middle', async () => {
      const user = userWho(() => ({ action: 'accept', content: { interpretation: 'historical' } }), everything);
      const agent = await connectAgent(era, { config }, user);
      const result = await agent.use('dev', 'everything', tool.name, { topic: 'zebras', ambiguous: true });
      expect(text(result)).toContain('Research Report: zebras (historical)');
      expect(user.asked).toHaveLength(1);
    });
  },
);
