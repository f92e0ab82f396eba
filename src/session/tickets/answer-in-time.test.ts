import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type TicketSpec, textResult, ticketSession, tool, turns } from '../../../test/support/ticket-session.js';
import { DownstreamFailure } from '../../contract/downstream-failure.js';
import { answerTimeoutMs } from '../../limits.js';
import { maxUnattendedCalls } from './limits.js';

beforeEach(({ onTestFinished: finished }) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  finished(() => {
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });
});

const named = JSON.stringify(tool);
const next = (id: string) =>
  `It goes on. Wait for it: use_tool {"tool":${named},"result":{"of":"${id}"}} Stop it: …"cancel":true`;

async function pass(seconds: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(seconds * 1_000);
  await turns();
}

async function open(spec: TicketSpec = {}) {
  const session = await ticketSession(spec);
  onTestFinished(() => session.leave());
  /** Sends a request with the id of a result. */
  const of = async (id: number, result: object, more: object = {}) => {
    session.use(id, { result }, more);
    await turns();
  };
  /** A call that goes on, whose id is `r1`. */
  const goOn = async () => {
    session.use(1);
    await turns();
    await pass(50);
    return session.served[0] ?? expect.fail('not called');
  };
  return { ...session, of, goOn };
}

describe.each(['legacy', 'modern'] as const)('a call of a %s client that gives up after a minute', (era) => {
  const isModern = era === 'modern';
  const complete = isModern ? { resultType: 'complete' } : {};

  test('is answered after 50 s with the id of its result, for which the next call waits', async () => {
    const { use, served, of, resultOf, textOf, received } = await open({ isModern });
    use(1, { arguments: { a: 1 } });
    await turns();
    await pass(49.9);
    expect(received).toEqual([]);
    await pass(0.2);
    expect(resultOf(1)).toMatchObject({ ...complete, ...textResult(`Still running after 50 s. ${next('r1')}`) });
    expect(resultOf(1)).not.toHaveProperty('isError');
    await of(2, { of: 'r1' });
    await pass(49.9);
    expect(resultOf(2)).toBeUndefined();
    await pass(0.2);
    expect(textOf(2)).toBe(`Still running after 100 s. ${next('r1')}`);
    await of(3, { of: 'r1' });
    served[0]?.resolve(textResult('done'));
    await turns();
    expect(resultOf(3)).toMatchObject({ ...complete, ...textResult('done') });
    for (const id of [4, 5]) {
      await of(id, { of: 'r1' });
      expect(resultOf(id)).toEqual(resultOf(3));
    }
    expect(served).toHaveLength(1);
  });

  test('is cancelled with `cancel: true`, and those who wait for it read that it is', async () => {
    const { goOn, of, resultOf } = await open({ isModern });
    const call = await goOn();
    await of(2, { of: 'r1' });
    await of(3, { of: 'r1', cancel: true });
    expect(call.isCancelled()).toBe(true);
    await of(4, { of: 'r1' });
    for (const id of [2, 3, 4]) {
      expect(resultOf(id)).toMatchObject({
        ...complete,
        ...textResult('Cancelled. It is unknown whether the tool took effect.'),
      });
      expect(resultOf(id)).not.toHaveProperty('isError');
    }
  });

  test('that fails gives its error to each `of`', async () => {
    const { goOn, of, resultOf } = await open({ isModern });
    const call = await goOn();
    await of(2, { of: 'r1' });
    call.reject(new DownstreamFailure('crashed', 'it exited'));
    await turns();
    await of(3, { of: 'r1' });
    expect(resultOf(2)).toMatchObject({ isError: true, _meta: { 'mcp-workbench/code': 'CALL_FAILED' } });
    expect(resultOf(3)).toEqual(resultOf(2));
  });
});

test('the answer has the last progress text of the server, in one short line without hidden characters', async () => {
  const { use, served, textOf, received } = await open();
  use(1);
  await turns();
  served[0]?.options.onProgress?.({ progress: 1, message: 'first' });
  served[0]?.options.onProgress?.({ progress: 2, message: `in\u202Edexed\n${'x'.repeat(300)}` });
  await pass(50);
  expect(textOf(1)).toBe(`Still running after 50 s ("indexed | ${'x'.repeat(189)}…"). ${next('r1')}`);
  expect(received.filter((message) => 'method' in message)).toEqual([]);
});

test('progress goes to the request that waits, under its own token', async () => {
  const { use, served, of, received } = await open();
  use(1, {}, { _meta: { progressToken: 'first' } });
  await turns();
  const report = (progress: number) => served[0]?.options.onProgress?.({ progress });
  const sign = (seconds: number, progressToken: unknown) => ({
    ...{ progressToken, message: `running for ${seconds} s`, progress: expect.any(Number) },
  });
  const tokens = () => received.flatMap((message) => ('params' in message ? [message.params] : []));
  report(1);
  await pass(50);
  report(2);
  await of(2, { of: 'r1' }, { _meta: { progressToken: 7 } });
  report(3);
  await pass(15);
  expect(tokens()).toEqual([
    { progress: 1, progressToken: 'first' },
    ...[15, 30, 45].map((seconds) => sign(seconds, 'first')),
    { progress: 3, progressToken: 7 },
    sign(65, 7),
  ]);
});

test('select, find and max apply to the result when it is there, and are offered again', async () => {
  const { use, served, of, textOf } = await open();
  use(1, { result: { select: 'a' } });
  await turns();
  await pass(50);
  expect(textOf(1)).toContain('"result":{"of":"r1","select":"a"}} Stop it');
  await of(2, { of: 'r1', select: 'a[?' });
  expect(textOf(2)).toBe('Invalid parameters: result.select: the expression ends too early at character 4');
  await of(3, { of: 'r1', select: 'a' });
  served[0]?.resolve(textResult('{"a":[1,2],"b":3}'));
  await turns();
  expect(textOf(3)).toBe('[1,2]');
  await of(4, { of: 'r1', find: '3' });
  expect(textOf(4)).toBe('b: 3');
  expect(served).toHaveLength(1);
});

test('two `of` at the same time both get the result, and one that the agent cancels ends without the call', async () => {
  const { goOn, of, cancel, textOf, answersTo } = await open();
  const call = await goOn();
  for (const id of [2, 3, 4]) await of(id, { of: 'r1' });
  cancel(3);
  // Too late: it is answered.
  cancel(1);
  await turns();
  expect(call.isCancelled()).toBe(false);
  call.resolve(textResult('done'));
  await turns();
  expect([2, 4].map(textOf)).toEqual(['done', 'done']);
  expect(answersTo(3)).toEqual([]);
});

test('a call that the agent cancels before its limit is cancelled at the server and gets no answer', async () => {
  const { use, served, cancel, received } = await open();
  use(1);
  await turns();
  cancel(1);
  await turns();
  expect(served[0]?.isCancelled()).toBe(true);
  await pass(60);
  expect(received).toEqual([]);
});

test('a result that comes before the ticket is sent is the answer', async () => {
  const { use, served, textOf } = await open();
  use(1);
  await turns();
  // The timer fires, and the part with tickets is being loaded.
  vi.advanceTimersByTime(50_000);
  served[0]?.resolve(textResult('done'));
  await turns();
  expect(textOf(1)).toBe('done');
});

test('an id that the agent uses again belongs to its new request', async () => {
  const { goOn, use, served, answersTo, of, textOf } = await open();
  const first = await goOn();
  use(1);
  await turns();
  first.resolve(textResult('first'));
  served[1]?.resolve(textResult('second'));
  await turns();
  expect(answersTo(1)).toHaveLength(2);
  expect(answersTo(1)[1]).toMatchObject({ result: textResult('second') });
  await of(2, { of: 'r1' });
  expect(textOf(2)).toBe('first');
});

test('what the agent gets of a result counts for the call that has it, whichever request reads it', async () => {
  const { use, served, of, textOf, shown, inFlight } = await open();
  const latest = () => inFlight.list().at(-1)?.number;
  use(1, { result: { select: 'a' } });
  await turns();
  const first = latest();
  await pass(50);
  await of(2, { of: 'r1', select: 'a' });
  expect(shown).toEqual([]);
  served[0]?.resolve(textResult('{"a":[1,2],"b":3}'));
  await turns();
  expect(textOf(2)).toBe('[1,2]');
  expect(shown).toEqual([[first, 5]]);
  use(3);
  await turns();
  const second = latest();
  await pass(50);
  // Nobody waits for it: it is kept.
  served[1]?.resolve(textResult('done'));
  await turns();
  use(4, { result: { select: 'a' } });
  await turns();
  const third = latest();
  served[2]?.resolve(textResult('{"a":7}'));
  await turns();
  expect(textOf(4)).toBe('7');
  expect(shown).toEqual([
    [first, 5],
    [second, 0],
    [third, 1],
  ]);
});

describe('when', () => {
  test.each([
    ['@cline/core', 50],
    ['continue-cli-client', 50],
    ['codex-mcp-client', 290],
    ['gemini-cli-mcp-client', 590],
    ['qwen-cli-mcp-client-workbench', 590],
  ])('%s is answered after %i s', async (client, seconds) => {
    const { use, textOf } = await open({ client });
    use(1);
    await turns();
    await pass(seconds - 1);
    expect(textOf(1)).toBeUndefined();
    await pass(1.1);
    expect(textOf(1)).toMatch(`Still running after ${seconds} s`);
  });

  test.each(['claude-code', 'opencode', 'copilot-cli', 'anything', 'constructor'])(
    '%s waits as long as it takes, without a timer, and its requests are passed on as they are',
    async (client) => {
      const { use, served, textOf } = await open({ client });
      use(1);
      await turns();
      expect(vi.getTimerCount()).toBe(0);
      await pass(3_000);
      served[0]?.resolve(textResult('done'));
      await turns();
      expect(textOf(1)).toBe('done');
    },
  );

  test('answerWithinMs counts for all clients, and 0 means never', async () => {
    const any = await open({ client: 'anything', answerWithinMs: 1_500 });
    const never = await open({ answerWithinMs: 0 });
    any.use(1);
    never.use(1);
    await turns();
    await pass(1.6);
    expect(any.textOf(1)).toMatch('Still running after 1.5 s.');
    await pass(3_000);
    expect(never.received).toEqual([]);
  });

  test('a thousand calls share one timer, and calls that end in time get the answer they always had', async () => {
    const [watched, plain] = [await open({ answerWithinMs: 60_000 }), await open({ answerWithinMs: 0 })];
    for (const { use, served } of [watched, plain]) {
      for (let id = 1; id <= 1_000; id++) {
        use(id, {}, id % 2 === 0 ? { _meta: { progressToken: id, vendor: 1 } } : {});
        if (id % 20 !== 0) continue;
        // That of the limits of each session, and that of signs of life.
        expect(vi.getTimerCount()).toBeLessThanOrEqual(3);
        await turns(3);
        for (const call of served.slice(-20)) {
          call.options.onProgress?.({ progress: 1, total: 2, message: 'half' });
          call.resolve(textResult(`${call.name} ${JSON.stringify(call.options.meta ?? null)}`));
        }
        await turns(3);
      }
    }
    expect(JSON.stringify(watched.received)).toBe(JSON.stringify(plain.received));
    expect(watched.received).toHaveLength(1_500);
    await pass(61);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('bad input', () => {
  test.each([
    [{ cancel: true }, 'result.cancel: only with of'],
    [{ of: 'r1', cancel: 'yes' }, 'result.cancel: Expected boolean, received string'],
    [{ of: 1 }, 'result.of: Expected string, received number'],
  ])('%j is refused, and nothing is called', async (result, text) => {
    const { of, textOf, resultOf, served } = await open();
    await of(1, result);
    expect(textOf(1)).toBe(`Invalid parameters: ${text}`);
    expect(resultOf(1)).toMatchObject({ isError: true });
    expect(served).toEqual([]);
  });

  test('an id of another tool or session, and one that was never given, is gone, and nothing is cancelled', async () => {
    const [mine, other] = [await open(), await open()];
    const call = await mine.goOn();
    const foreign = { tool: { ...tool, name: 'other' }, result: { of: 'r1', cancel: true } };
    mine.use(2, foreign);
    await mine.of(3, { of: 'r2' });
    const tries = 10_000;
    for (let id = 1; id <= tries; id++) {
      other.use(id, { result: { of: `r${id}`, cancel: id % 2 === 0 } });
      if (id % 100 === 0) await turns(20);
    }
    await turns(400);
    const gone = (id: string) => `Result '${id}' is no longer kept. Call the tool again without "of".`;
    expect([mine.textOf(2), mine.textOf(3)]).toEqual([gone('r1'), gone('r2')]);
    expect(other.received.map((message) => ('id' in message ? message.id : undefined))).toHaveLength(tries);
    for (const message of other.received)
      expect(JSON.stringify(message)).toContain(gone(`r${'id' in message ? message.id : ''}`).replaceAll('"', '\\"'));
    expect(call.isCancelled()).toBe(false);
  });

  test('`cancel` of a call that has ended gives its result', async () => {
    const { goOn, of, textOf } = await open();
    (await goOn()).resolve(textResult('done'));
    await turns();
    await of(2, { of: 'r1', cancel: true });
    await of(3, { of: 'r1' });
    expect([textOf(2), textOf(3)]).toEqual(['done', 'done']);
  });
});

test('a tool that is denied since is not found, and its call is cancelled', async () => {
  const { goOn, of, apply, resultOf } = await open();
  const call = await goOn();
  await of(2, { of: 'r1' });
  apply(['echo']);
  expect(call.isCancelled()).toBe(false);
  await of(3, { of: 'r1' });
  expect(resultOf(3)).toMatchObject({ isError: true, _meta: { 'mcp-workbench/code': 'TOOL_NOT_FOUND' } });
  expect(call.isCancelled()).toBe(true);
});

test('over the limit of calls without a waiting request, a call waits for its result', async () => {
  const { use, of, served, textOf } = await open();
  for (let id = 1; id <= maxUnattendedCalls + 1; id++) use(id);
  await turns();
  const last = maxUnattendedCalls + 1;
  await pass(51);
  expect(textOf(last - 1)).toMatch('Still running');
  expect(textOf(last)).toBeUndefined();
  // One that is waited for does not count.
  await of(100, { of: 'r1' });
  use(101);
  await turns();
  await pass(49);
  expect(textOf(101)).toBeUndefined();
  served[last - 1]?.resolve(textResult('done'));
  await turns();
  expect(textOf(last)).toBe('done');
});

test('a call whose host is lost has an unknown outcome', async () => {
  const { goOn, fitting, of, textOf, resultOf } = await open();
  await goOn();
  const lost = { ...textResult('lost'), isError: true, _meta: { 'mcp-workbench/code': 'HOST_LOST' } };
  fitting.output.send({ jsonrpc: '2.0', id: 2_013_265_921, result: lost });
  await turns();
  await of(2, { of: 'r1' });
  expect(resultOf(2)).toMatchObject({ isError: true, _meta: { 'mcp-workbench/code': 'RESULT_GONE' } });
  expect(textOf(2)).toBe(
    "Result 'r1' is no longer kept: the host process that runs the servers was lost during the call. It is unknown whether the tool took effect. The call was not retried.",
  );
});

describe('questions of a call that goes on', () => {
  const question = {
    method: 'elicitation/create',
    params: { message: 'Which?', requestedSchema: { type: 'object', properties: {} } },
  };
  const capabilities = { elicitation: {} };
  const signal = new AbortController().signal;

  async function asking(isModern: boolean) {
    const session = await open({ isModern, capabilities });
    const call = await session.goOn();
    const answer = call.options.agent?.ask(question, signal);
    answer?.then(
      (value) => call.resolve(textResult(JSON.stringify(value))),
      () => {},
    );
    await turns();
    return { ...session, call };
  }

  test('a legacy agent is asked at once', async () => {
    const { received, say, of, textOf } = await asking(false);
    const asked = received.find((message) => 'method' in message && 'id' in message);
    expect(asked).toMatchObject({ method: 'elicitation/create' });
    say({ id: asked !== undefined && 'id' in asked ? asked.id : 0, result: { action: 'decline' } });
    await turns();
    await of(2, { of: 'r1' });
    expect(textOf(2)).toBe('{"action":"decline"}');
  });

  test('a modern agent is asked with its next `of`, and sends that again with the answer', async () => {
    const { of, resultOf, textOf, served } = await asking(true);
    for (const id of [2, 3]) await of(id, { of: 'r1' });
    const asked = resultOf(2);
    expect(asked).toMatchObject({ resultType: 'input_required', inputRequests: { 'question-1': question } });
    expect(resultOf(3)).toEqual(asked);
    const inputResponses = { 'question-1': { action: 'accept', content: {} } };
    // Without the state the call would be made again.
    for (const [id, more] of [
      [4, { inputResponses }],
      [5, { inputResponses, requestState: 'x' }],
    ] as const) {
      await of(id, { of: 'r1' }, more);
      expect(resultOf(id)).toEqual(asked);
    }
    const answered = { inputResponses, requestState: asked?.['requestState'] };
    await of(6, { of: 'r1' }, answered);
    await of(7, { of: 'r1' }, answered);
    expect([6, 7].map(textOf)).toEqual(Array(2).fill('{"action":"accept","content":{}}'));
    expect(served).toHaveLength(1);
  });

  test('one that waits is asked at once', async () => {
    const { goOn, of, resultOf } = await open({ isModern: true, capabilities });
    const call = await goOn();
    await of(2, { of: 'r1' });
    call.options.agent?.ask(question, signal).catch(() => {});
    await turns();
    expect(resultOf(2)).toMatchObject({ resultType: 'input_required' });
  });

  test('`cancel` cancels a call that waits for an answer', async () => {
    const { of, call, textOf } = await asking(true);
    await of(2, { of: 'r1', cancel: true });
    expect(call.isCancelled()).toBe(true);
    expect(textOf(2)).toMatch(/^Cancelled\./);
  });

  test('after ten minutes without an answer the call is cancelled', async () => {
    const { of, call, resultOf } = await asking(true);
    await pass(answerTimeoutMs / 1_000 + 1);
    expect(call.isCancelled()).toBe(true);
    for (const id of [2, 3]) {
      await of(id, { of: 'r1' });
      expect(resultOf(id)).toMatchObject({ isError: true, _meta: { 'mcp-workbench/code': 'QUESTION_UNANSWERED' } });
    }
  });
});
