import { describe, expect, test } from 'vitest';
import type { RawResult, Stats } from '../support/agents.js';
import { callLog } from '../support/call-log.js';
import { devToolbox } from '../support/configs.js';
import { connectRaw, everything, oneServer, type RawAgent, serverOf } from '../support/forwarding.js';
import { until } from '../support/until.js';
import type { Message } from '../support/workbench.js';

// Calls of a modern agent that are answered with a question.
const question = {
  method: 'elicitation/create',
  params: { message: 'Your name?', requestedSchema: { type: 'object', properties: {} } },
};
const accepted = { action: 'accept', content: { name: 'Ada' } };

interface Asked {
  readonly keys: readonly string[];
  readonly state: string;
}

function asked({ result, error }: Message): Asked {
  expect(result, JSON.stringify(error)).toMatchObject({ resultType: 'input_required' });
  const { inputRequests, requestState } = result as { inputRequests: object; requestState: string };
  expect(requestState).toBeTypeOf('string');
  return { keys: Object.keys(inputRequests), state: requestState };
}

const answering = ({ keys, state }: Asked, answer: object = accepted) => ({
  params: { requestState: state, inputResponses: Object.fromEntries(keys.map((key) => [key, answer])) },
});

function textOf({ result, error }: Message): string {
  expect(error).toBeUndefined();
  return (result as unknown as RawResult).content[0]?.text ?? '';
}

async function stats(agent: RawAgent): Promise<Stats> {
  return JSON.parse(textOf(await agent.use('stats')));
}

function expectRefused(answer: Message): void {
  expect(answer.result).toBeUndefined();
  expect(answer.error).toMatchObject({ code: -32602, message: 'Invalid or expired requestState' });
}

const asking = { rounds: [{ q: question }] };

describe('a call that waits for an answer', () => {
  test('continues with the answer, and the server was called once', async () => {
    const log = callLog();
    const agent = await connectRaw('modern', oneServer('legacy', '--log', log.path), everything);
    const first = await agent.use('ask_user', asking);
    expect(first.result?.['inputRequests']).toEqual({
      [asked(first).keys[0] ?? '']: { ...question, params: { ...question.params, message: '[dev/any] Your name?' } },
    });
    expect(textOf(await agent.use('ask_user', asking, answering(asked(first))))).toBe(
      JSON.stringify([{ q: accepted }]),
    );
    expect(log.methods('tools/call')).toHaveLength(1);
  });

  test('asks again for what was not answered', async () => {
    const agent = await connectRaw('modern', oneServer('legacy'), everything);
    const first = asked(await agent.use('ask_user', { rounds: [{ a: question, b: question }] }));
    // The server asks both at once; the result contains at least the first.
    const partly = { params: { requestState: first.state, inputResponses: { [first.keys[0] ?? '']: accepted } } };
    const second = asked(await agent.use('ask_user', {}, partly));
    expect(second.keys).toHaveLength(1);
    expect(second.keys[0]).not.toBe(first.keys[0]);
    const nothing = asked(await agent.use('ask_user', {}, { params: { requestState: second.state } }));
    expect(nothing.keys).toEqual(second.keys);
    expect(JSON.parse(textOf(await agent.use('ask_user', {}, answering(nothing))))).toEqual([
      { a: accepted, b: accepted },
    ]);
  });

  test('reports progress to the request that waits for it, and is cancelled with that request', async () => {
    const log = callLog();
    const agent = await connectRaw('modern', oneServer('legacy', '--log', log.path), everything);
    const asksFirst = { ...question, steps: 2 };
    const first = asked(await agent.use('ask_and_hang', asksFirst, { meta: { progressToken: 'first' } }));
    const id = agent.send('ask_and_hang', asksFirst, { ...answering(first), meta: { progressToken: 'second' } });
    await agent.next('notifications/progress', 2);
    expect(agent.received('notifications/progress').map(({ params }) => params)).toMatchObject([
      { progressToken: 'second', progress: 1 },
      { progressToken: 'second', progress: 2 },
    ]);
    agent.workbench.notify('notifications/cancelled', { requestId: id });
    const [cancelled] = await until(() => {
      const seen = log.methods('notifications/cancelled');
      return seen.length === 1 && seen;
    });
    expect(cancelled?.requestId).toBe(log.methods('tools/call')[0]?.id);
    expectRefused(await agent.use('ask_and_hang', asksFirst, answering(first)));
  });

  test('does not time out while a question is open, and neither does another call of the server', async () => {
    const limits = { callTimeoutMs: 2_000, callTotalTimeoutMs: 2_500 };
    const config = devToolbox({ any: { ...serverOf('legacy'), ...limits } });
    const agent = await connectRaw('modern', config, everything);
    const first = asked(await agent.use('ask_user', asking));
    expect(textOf(await agent.use('sleep', { ms: 3_000 }))).toBe('slept 3000 ms');
    expect(textOf(await agent.use('ask_user', asking, answering(first)))).toContain('Ada');
    expect((await stats(agent)).cancelled).toEqual([]);
    expect(textOf(await agent.use('hang'))).toContain('no answer within 2000 ms');
  });

  test('fails if its server died meanwhile', async () => {
    const agent = await connectRaw('modern', oneServer('legacy'), everything);
    const first = asked(await agent.use('ask_and_die', { ...question, dieAfterMs: 50 }));
    await until(() => /exited with code 1/.test(agent.workbench.stderr()));
    const { result } = await agent.use('ask_and_die', {}, answering(first));
    expect(result?.['isError']).toBe(true);
    expect(textOf({ result: result ?? {} })).toMatch(
      /^Tool 'ask_and_die' of server 'any'.* failed: it exited with code 1/,
    );
    // Reported once; after that the state is unknown, and the server works again.
    expectRefused(await agent.use('ask_and_die', {}, answering(first)));
    expect(textOf(await agent.use('echo', { a: 1 }))).toBe('{"a":1}');
  });

  test('ends when the server withdraws its question', async () => {
    const agent = await connectRaw('modern', oneServer('legacy'), everything);
    const first = asked(await agent.use('ask_and_withdraw', { ...question, withdrawAfterMs: 50 }));
    await until(async () => (await stats(agent)).answers.length === 1);
    expect(textOf(await agent.use('ask_and_withdraw', {}, answering(first)))).toBe('{"withdrawn":true}');
  });

  test('leaves no process when the agent never sends the answers', async () => {
    const agent = await connectRaw('modern', oneServer('legacy'), everything);
    asked(await agent.use('ask_user', asking));
    agent.workbench.end();
    // That no process is left is checked when the test ends.
    expect((await agent.workbench.exited).code).toBe(0);
  });
});

// What a state is refused for is tested where it is signed: src/session/questions/request-state.test.ts.
describe.each(['legacy', 'modern'] as const)('a state from a call to a %s server', (server) => {
  test('is refused when it was changed, for another tool and by another workbench, and works afterwards', async () => {
    const agent = await connectRaw('modern', oneServer(server), everything);
    const first = asked(await agent.use('ask_user', asking));
    for (const state of ['', `${first.state}=`, first.state.replace(/\..*/, '')])
      expectRefused(await agent.use('ask_user', asking, answering({ ...first, state })));
    expectRefused(await agent.use('echo', {}, answering(first)));
    const other = await connectRaw('modern', oneServer(server), everything);
    expectRefused(await other.use('ask_user', asking, answering(first)));
    expect(other.workbench.stderr()).toMatch(/warning: agent: .*requestState/i);
    expect(textOf(await agent.use('ask_user', asking, answering(first)))).toContain('Ada');
  });

  test('does not reveal the state of the server, and returns it to the server unchanged', async () => {
    const agent = await connectRaw('modern', oneServer(server), everything);
    const first = asked(await agent.use('ask_user', { rounds: [{ a: question }, { b: question }] }));
    expect(first.state).toMatch(/^[\w-]+\.[\w-]+$/);
    const second = asked(await agent.use('ask_user', { rounds: [{ a: question }, { b: question }] }, answering(first)));
    const last = await agent.use('ask_user', { rounds: [{ a: question }, { b: question }] }, answering(second));
    expect(JSON.parse(textOf(last))).toHaveLength(2);
  });
});

test('the state of a call that has ended is refused every time', async () => {
  const agent = await connectRaw('modern', oneServer('legacy'), everything);
  const first = asked(await agent.use('ask_user', asking));
  expect(textOf(await agent.use('ask_user', asking, answering(first)))).toContain('Ada');
  for (let again = 0; again < 3; again++) expectRefused(await agent.use('ask_user', asking, answering(first)));
  expect((await stats(agent)).answers).toHaveLength(1);
});

test('between a modern agent and a modern server the workbench keeps no state', async () => {
  const agent = await connectRaw('modern', oneServer('modern'), everything);
  const first = asked(await agent.use('ask_user', asking));
  // The same answer twice, as after a lost connection: both times the server decides.
  for (let again = 0; again < 2; again++)
    expect(textOf(await agent.use('ask_user', asking, answering(first)))).toBe(JSON.stringify([{ q: accepted }]));
});
