import { describe, expect, test } from 'vitest';
import type { RawResult, Stats } from '../support/agents.js';
import { callLog } from '../support/call-log.js';
import { connectRaw, everything, offeringRoots, oneServer, type RawAgent } from '../support/forwarding.js';
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
  test('that answers a question after cancelling its call is ignored, and the answer is not logged', async () => {
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

  test('that cancels a call while a modern server waits for an answer gets no more questions, and the server no answer', async () => {
    const log = callLog();
    const agent = await connectRaw('legacy', oneServer('modern', '--log', log.path), everything);
    const id = agent.send('ask_user', { rounds: [{ q: question }] });
    const asked = await agent.next('elicitation/create');
    agent.workbench.notify('notifications/cancelled', { requestId: id });
    expect((await agent.next('notifications/cancelled')).params).toMatchObject({ requestId: asked.id });
    await expectAlive(agent);
    expect(log.methods('tools/call').map(({ name }) => name)).toEqual(['ask_user', 'echo']);
  });

  test('that answers twice has its second answer ignored', async () => {
    const agent = await connectRaw('legacy', oneServer('legacy'), everything);
    const id = agent.send('ask', question);
    const asked = await agent.next('elicitation/create');
    for (const action of ['accept', 'decline']) agent.workbench.send({ id: asked.id, result: { action } });
    expect(textOf(await agent.workbench.answerTo(id))).toContain('"action":"accept"');
    expect((await stats(agent)).answers).toHaveLength(1);
  });

  test('that answers with an error or an invalid result does not block the call', async () => {
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
      const text = textOf(await agent.workbench.answerTo(id));
      // Answers are not validated by the workbench.
      if ('result' in answer) expect(JSON.parse(text)).toMatchObject({ result: answer.result });
      else expect(text).toContain('User rejected');
    }
  });

  test('that never answers does not block other calls, and the question ends with its call', async () => {
    const agent = await connectRaw('legacy', oneServer('legacy'), everything);
    const id = agent.send('ask', question);
    await agent.next('elicitation/create');
    await expectAlive(agent);
    agent.workbench.notify('notifications/cancelled', { requestId: id });
    await until(async () => (await stats(agent)).cancelled.length === 1);
    await expectAlive(agent);
  });

  test('that disconnects while it is asked leaves no process', async () => {
    const agent = await connectRaw('legacy', oneServer('legacy'), everything);
    agent.send('ask', question);
    await agent.next('elicitation/create');
    agent.workbench.end();
    expect((await agent.workbench.exited).code).toBe(0);
  });

  test('is asked for its roots after the call, and for nothing else', async () => {
    const log = callLog();
    const agent = await connectRaw('legacy', offeringRoots('legacy', '--log', log.path), everything);
    await agent.use('ask_later', question);
    // Not by calls: the question would be asked during one of them.
    await until(() => log.entries().find(({ id, method }) => id === 'ask-1' && method === undefined));
    const [refusal] = (await stats(agent)).answers;
    expect(refusal?.error).toEqual({
      code: -32_600,
      message: 'refused: elicitation/create is only possible during a call',
    });
    await agent.use('ask_later', { method: 'roots/list' });
    const asked = await agent.next('roots/list');
    agent.workbench.send({ id: asked.id, result: { roots: [] } });
    await until(async () => (await stats(agent)).answers[1]?.result);
  });
});

describe.each(['legacy', 'modern'] as const)('a %s agent', (era) => {
  test('that reuses the id of a request in flight is answered once', async () => {
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

  test('that sends notifications about unknown tokens and requests gets no response, and the connection works', async () => {
    const agent = await connectRaw(era, oneServer('legacy'));
    agent.workbench.notify('notifications/progress', { progressToken: 'no-such-id', progress: 1 });
    agent.workbench.notify('notifications/cancelled', { requestId: 'no-such-id' });
    agent.workbench.notify('notifications/cancelled', {});
    agent.workbench.notify('notifications/from-the-future', { a: 1 });
    agent.workbench.send({ id: 'never-asked', result: { a: 1 } });
    await expectAlive(agent);
    expect(agent.workbench.lines.filter((line) => /no-such-id|never-asked/.test(line))).toEqual([]);
  });

  test('is not disturbed by random responses and notifications of a server of the other era', async () => {
    const agent = await connectRaw(era, oneServer(era === 'legacy' ? 'modern' : 'legacy'));
    const progress = (progressToken: unknown, step: unknown) => ({
      method: 'notifications/progress',
      params: { progressToken, progress: step },
    });
    const messages = [
      progress('no-such-id', 1),
      progress(999_999_999, 1),
      progress('ID', 'no number'),
      { method: 'notifications/cancelled', params: { requestId: 'no-such-id' } },
      { method: 'notifications/from-the-future' },
      { id: 999_999_999, result: { content: [{ type: 'text', text: 'a secret of the server' }] } },
      { id: 'no-such-id', error: { code: 1, message: 'a secret of the server' } },
      { id: 'ID', result: { content: [{ type: 'text', text: 'first' }] } },
      { id: 'ID', result: { content: [{ type: 'text', text: 'second' }] } },
      progress('ID', 2),
    ];
    const answer = await agent.use('send', { messages }, { meta: { progressToken: 'mine' } });
    expect(textOf(answer)).toBe('first');
    await expectAlive(agent);
    expect(agent.received('notifications/progress')).toEqual([]);
    expect(agent.workbench.stderr()).not.toContain('a secret');
  });

  test('receives no question that no client supports', async () => {
    const agent = await connectRaw(era, oneServer('legacy'), everything);
    for (const method of ['tools/call', 'from/the-future', 'elicitation/forget']) {
      const answer = textOf(await agent.use('ask', { method, params: {} }));
      expect(answer).toContain('-32601');
    }
  });
});

describe('a modern server', () => {
  const required = (more: object) => ({ resultType: 'input_required', ...more });

  test.each(['legacy', 'modern'] as const)(
    'that requires input without a question fails, for a %s agent',
    async (era) => {
      const agent = await connectRaw(era, oneServer('modern'), everything);
      const answer = await agent.use('result', required({}));
      expect(answer.result).toMatchObject({ isError: true });
      expect(textOf(answer)).toContain('it requires input but sent no question');
      expect((await stats(agent)).received.filter(({ name }) => name === 'result')).toHaveLength(1);
    },
  );

  test('that asks without end makes the call fail', async () => {
    const agent = await connectRaw('legacy', oneServer('modern'), everything);
    const answer = await agent.use('result', required({ requestState: 'come back later' }));
    expect(textOf(answer)).toContain('it required input more than 20 times');
  });

  test('that asks a question that no client supports makes the call fail', async () => {
    const agent = await connectRaw('modern', oneServer('modern'), everything);
    const answer = await agent.use('result', required({ inputRequests: { a: { method: 'tools/call', params: {} } } }));
    expect(answer.result).toMatchObject({ isError: true });
    expect(textOf(answer)).toContain('it requires tools/call, which this client does not support');
  });
});
