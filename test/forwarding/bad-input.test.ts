import { describe, expect, test } from 'vitest';
import type { RawResult, Stats } from '../support/agents.js';
import { callLog } from '../support/call-log.js';
import { connectRaw, everything, oneServer, type RawAgent } from '../support/forwarding.js';
import { until } from '../support/until.js';
import type { Message } from '../support/workbench.js';

const question = {
  method: 'elicitation/create',
  params: { mode: 'form', message: 'Your name?', requestedSchema: { type: 'object', properties: {} } },
};

function textOf({ result, error }: Message): string {
  expect(error).toBeUndefined();
  return (result as unknown as RawResult).content[0]?.text ?? '';
}

async function stats(agent: RawAgent): Promise<Stats> {
  return JSON.parse(textOf(await agent.use('stats')));
}

async function expectAlive(agent: RawAgent): Promise<void> {
  expect(textOf(await agent.use('echo', { a: 1 }))).toBe('{"a":1}');
}

describe('an agent of an older revision', () => {
  test('that answers a question after its call was cancelled is not heard, and what it said is not logged', async () => {
    const log = callLog();
    const agent = await connectRaw('legacy', oneServer('legacy', '--log', log.path), everything);
    const id = agent.send('ask', question);
    const asked = await agent.next('elicitation/create');
    agent.workbench.notify('notifications/cancelled', { requestId: id });
    await until(() => log.methods('notifications/cancelled').length === 1);
    // The question is withdrawn with the call.
    expect((await agent.next('notifications/cancelled')).params).toMatchObject({ requestId: asked.id });
    agent.workbench.send({ id: asked.id, result: { action: 'accept', content: { password: 'hunter2' } } });
    await until(() => agent.workbench.stderr().includes('ignored a response'));
    expect(agent.workbench.stderr()).not.toContain('hunter2');
    await expectAlive(agent);
    expect((await stats(agent)).answers).not.toContainEqual(expect.objectContaining({ result: expect.anything() }));
  });

  test('that cancels a call while a modern server waits for its answer is asked no more, and the server neither', async () => {
    const log = callLog();
    const agent = await connectRaw('legacy', oneServer('modern', '--log', log.path), everything);
    const id = agent.send('ask_user', { rounds: [{ q: question }] });
    const asked = await agent.next('elicitation/create');
    agent.workbench.notify('notifications/cancelled', { requestId: id });
    expect((await agent.next('notifications/cancelled')).params).toMatchObject({ requestId: asked.id });
    await expectAlive(agent);
    expect(log.methods('tools/call').map(({ name }) => name)).toEqual(['ask_user', 'echo']);
  });

  test('that answers twice is heard once', async () => {
    const agent = await connectRaw('legacy', oneServer('legacy'), everything);
    const id = agent.send('ask', question);
    const asked = await agent.next('elicitation/create');
    for (const action of ['accept', 'decline']) agent.workbench.send({ id: asked.id, result: { action } });
    expect(textOf(await agent.workbench.answerTo(id))).toContain('"action":"accept"');
    expect((await stats(agent)).answers).toHaveLength(1);
  });

  test('that answers with an error or with nonsense does not hang the call', async () => {
    const agent = await connectRaw('legacy', oneServer('legacy'), everything);
    const answers = [
      { error: { code: -1, message: 'User rejected' } },
      { result: { unexpected: [1] } },
      { result: {} },
    ];
    for (const [index, answer] of answers.entries()) {
      const id = agent.send('ask', question);
      const asked = await agent.next('elicitation/create', index + 1);
      agent.workbench.send({ id: asked.id, ...answer });
      const told = textOf(await agent.workbench.answerTo(id));
      // What is in an answer is between the agent and the server.
      if ('result' in answer) expect(JSON.parse(told)).toMatchObject({ result: answer.result });
      else expect(told).toContain('User rejected');
    }
  });

  test('that never answers does not keep others from being served, and the question ends with its call', async () => {
    const agent = await connectRaw('legacy', oneServer('legacy'), everything);
    const id = agent.send('ask', question);
    await agent.next('elicitation/create');
    await expectAlive(agent);
    agent.workbench.notify('notifications/cancelled', { requestId: id });
    await until(async () => (await stats(agent)).cancelled.length === 1);
    await expectAlive(agent);
  });

  test('that ends while it is asked leaves nothing behind', async () => {
    const agent = await connectRaw('legacy', oneServer('legacy'), everything);
    agent.send('ask', question);
    await agent.next('elicitation/create');
    agent.workbench.end();
    expect((await agent.workbench.exited).code).toBe(0);
  });

  test('gets what a server asks after its call, and a modern one is never asked then', async () => {
    const legacy = await connectRaw('legacy', oneServer('legacy'), everything);
    await legacy.use('ask_later', question);
    const asked = await legacy.next('elicitation/create');
    legacy.workbench.send({ id: asked.id, result: { action: 'accept' } });
    await until(async () => (await stats(legacy)).answers[0]?.result);
    const modern = await connectRaw('modern', oneServer('legacy'), everything);
    await modern.use('ask_later', question);
    const told = await until(async () => (await stats(modern)).answers[0]);
    expect(told.error?.message).toContain('the call has ended');
  });
});

describe.each(['legacy', 'modern'] as const)('a %s agent', (era) => {
  test('that uses the id of a running request again is answered once', async () => {
    const log = callLog();
    const agent = await connectRaw(era, oneServer('legacy', '--log', log.path));
    await expectAlive(agent);
    const id = agent.send('sleep', { ms: 400 });
    const line = JSON.stringify({
      name: 'use_tool',
      arguments: { tool: { toolbox: 'dev', server: 'any', name: 'echo' } },
    });
    agent.workbench.write(`{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":${line}}\n`);
    expect(textOf(await agent.workbench.answerTo(id))).toBe('slept 400 ms');
    await expectAlive(agent);
    expect(agent.workbench.lines.filter((answer) => answer.includes(`"${id}"`))).toHaveLength(1);
    expect(log.methods('tools/call').map(({ name }) => name)).toEqual(['echo', 'sleep', 'echo']);
    expect(agent.workbench.stderr()).toContain('ignored a request: its id is already in flight');
  });

  test('that notifies about unknown tokens and requests is not answered, and served on', async () => {
    const agent = await connectRaw(era, oneServer('legacy'));
    agent.workbench.notify('notifications/progress', { progressToken: 'nobody', progress: 1 });
    agent.workbench.notify('notifications/cancelled', { requestId: 'nobody' });
    agent.workbench.notify('notifications/cancelled', {});
    agent.workbench.notify('notifications/from-the-future', { a: 1 });
    agent.workbench.send({ id: 'never-asked', result: { a: 1 } });
    await expectAlive(agent);
    expect(agent.workbench.lines.filter((line) => /nobody|never-asked/.test(line))).toEqual([]);
  });

  test.each(['legacy', 'modern'] as const)(
    'is not disturbed by a %s server that answers and notifies wildly',
    async (server) => {
      const agent = await connectRaw(era, oneServer(server));
      const progress = (progressToken: unknown, step: unknown) => ({
        method: 'notifications/progress',
        params: { progressToken, progress: step },
      });
      const messages = [
        progress('nobody', 1),
        progress(999_999_999, 1),
        progress('ID', 'no number'),
        { method: 'notifications/cancelled', params: { requestId: 'nobody' } },
        { method: 'notifications/from-the-future' },
        { id: 999_999_999, result: { content: [{ type: 'text', text: 'a secret of the server' }] } },
        { id: 'nobody', error: { code: 1, message: 'a secret of the server' } },
        { id: 'ID', result: { content: [{ type: 'text', text: 'first' }] } },
        { id: 'ID', result: { content: [{ type: 'text', text: 'second' }] } },
        progress('ID', 2),
      ];
      const answer = await agent.use('send', { messages }, { meta: { progressToken: 'mine' } });
      expect(textOf(answer)).toBe('first');
      await expectAlive(agent);
      expect(agent.received('notifications/progress')).toEqual([]);
      expect(agent.workbench.stderr()).not.toContain('a secret');
    },
  );

  test('hears nothing of what a server asks that no client can be asked', async () => {
    const agent = await connectRaw(era, oneServer('legacy'), everything);
    for (const method of ['tools/call', 'from/the-future', 'elicitation/forget']) {
      const told = textOf(await agent.use('ask', { method, params: {} }));
      expect(told).toContain('-32601');
    }
  });
});

describe('a modern server', () => {
  const required = (more: object) => ({ resultType: 'input_required', ...more });

  test.each(['legacy', 'modern'] as const)('that wants an answer to nothing fails, for a %s agent', async (era) => {
    const agent = await connectRaw(era, oneServer('modern'), everything);
    const answer = await agent.use('result', required({}));
    expect(answer.result).toMatchObject({ isError: true });
    expect(textOf(answer)).toContain('it requires input but sent no question');
    expect((await stats(agent)).received.filter(({ name }) => name === 'result')).toHaveLength(1);
  });

  test('that asks without end is given up', async () => {
    const agent = await connectRaw('legacy', oneServer('modern'), everything);
    const answer = await agent.use('result', required({ requestState: 'come back later' }));
    expect(textOf(answer)).toContain('it required input more than 20 times');
  });

  test('that asks what no client can be asked fails', async () => {
    const agent = await connectRaw('modern', oneServer('modern'), everything);
    const answer = await agent.use('result', required({ inputRequests: { a: { method: 'tools/call', params: {} } } }));
    expect(answer.result).toMatchObject({ isError: true });
    expect(textOf(answer)).toContain('it requires tools/call, which this client does not support');
  });
});
