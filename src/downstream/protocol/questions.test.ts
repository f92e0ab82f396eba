import { describe, expect, test, vi } from 'vitest';
import { fakeAgent, pending } from '../../../test/support/fake-port.js';
import { DownstreamFailure, failureOf } from '../../contract/downstream-failure.js';
import { Cancellation } from '../../jsonrpc/cancellation.js';
import { newBudget } from '../../workbench/asking/asked-question.js';
import { OnlyDuringCalls } from '../../workbench/asking/only-during-calls.js';
import type { Agent, Question } from '../../workbench/ports/agent.js';
import { closedByUs, timedOut } from './failures.js';
import { createQuestions } from './questions.js';

const question = { method: 'roots/list' };
const { signal } = new AbortController();
const asker = { toolbox: 'dev', server: 'any', offersRoots: true };

/** An agent that answers with its name, on demand. */
function agentNamed(name: string, capabilities: Agent['capabilities'] = { roots: {} }) {
  const answer = pending<void>();
  const ask = vi.fn<Agent['ask']>((_, withdrawn) =>
    Promise.race([
      answer.promise.then(() => ({ name })),
      new Promise<never>((_resolve, reject) =>
        withdrawn.addEventListener('abort', () => reject(new Error('withdrawn'))),
      ),
    ]),
  );
  return { ...fakeAgent({ capabilities }), ask, answer: answer.resolve, refuse: answer.reject };
}

function twoSessions(capabilities?: Agent['capabilities']) {
  const agent = (name: string, id: string) => ({ ...agentNamed(name, capabilities), id });
  return [agent('alice', 'session-1'), agent('bob', 'session-2')] as const;
}

function clocks() {
  let paused = 0;
  const pause = () => {
    paused++;
    return () => {
      paused--;
    };
  };
  return { pause, paused: () => paused };
}

test('the agent whose call runs is asked, and the clocks stop until it answers', async () => {
  const { pause, paused } = clocks();
  const [starter, caller] = [agentNamed('starter'), agentNamed('caller')];
  const questions = createQuestions(asker, starter, pause);
  const answered = await questions.during(caller, async () => {
    const asking = questions.ask(question, signal);
    expect(paused()).toBe(1);
    caller.answer();
    return asking;
  });
  expect(answered).toEqual({ name: 'caller' });
  expect(paused()).toBe(0);
  expect(starter.ask).not.toHaveBeenCalled();
});

test('while no call runs, the one for whom the server was started is asked', async () => {
  const starter = agentNamed('starter');
  const questions = createQuestions(asker, starter, clocks().pause);
  await questions.during(agentNamed('caller'), async () => {});
  starter.answer();
  expect(await questions.ask(question, signal)).toEqual({ name: 'starter' });
});

test.each([
  ['nobody is there', undefined],
  ['the agent cannot be asked that', agentNamed('deaf', { sampling: {} })],
])('the server is told at once that %s', async (_, agent) => {
  const { pause, paused } = clocks();
  const questions = createQuestions(asker, agent, pause);
  const refusal = { code: -32601, message: 'The client in front of the workbench does not support roots/list' };
  await expect(questions.ask(question, signal)).rejects.toMatchObject(refusal);
  await questions.during(agent, () => expect(questions.ask(question, signal)).rejects.toMatchObject(refusal));
  expect(paused()).toBe(0);
});

describe('with two calls running', () => {
  async function twoCalls() {
    const [one, two] = [agentNamed('one'), agentNamed('two')];
    const [endOne, endTwo] = [pending<void>(), pending<void>()];
    const questions = createQuestions(asker, undefined, clocks().pause);
    void questions.during(one, () => endOne.promise);
    void questions.during(two, () => endTwo.promise);
    return { one, two, endOne, endTwo, questions };
  }

  test('the latest is asked', async () => {
    const { one, two, questions } = await twoCalls();
    two.answer();
    expect(await questions.ask(question, signal)).toEqual({ name: 'two' });
    expect(one.ask).not.toHaveBeenCalled();
  });

  test('an answer still counts when the call it was taken for ends first', async () => {
    const { two, endTwo, questions } = await twoCalls();
    const asking = questions.ask(question, signal);
    endTwo.resolve();
    await new Promise(setImmediate);
    two.answer();
    expect(await asking).toEqual({ name: 'two' });
  });

  test('the other is asked when the first can no longer answer because its call has ended', async () => {
    const { one, two, endTwo, questions } = await twoCalls();
    const asking = questions.ask(question, signal);
    endTwo.resolve();
    await new Promise(setImmediate);
    two.refuse(new Error('the call has ended'));
    one.answer();
    expect(await asking).toEqual({ name: 'one' });
  });

  test('a refusal is final', async () => {
    const { one, two, questions } = await twoCalls();
    two.refuse(new Error('the user said no'));
    await expect(questions.ask(question, signal)).rejects.toThrow('the user said no');
    expect(one.ask).not.toHaveBeenCalled();
  });

  test('a question is withdrawn when both have ended', async () => {
    const { endOne, endTwo, questions } = await twoCalls();
    const asking = questions.ask(question, signal);
    endOne.resolve();
    endTwo.resolve();
    await expect(asking).rejects.toThrow('withdrawn');
  });
});

test.each([
  ['is answered without waiting for it', async () => {}, 'the call has ended'],
  ['times out', () => Promise.reject(timedOut(5)), 'the call failed: no answer within 5 ms'],
  ['is cancelled', () => Promise.reject(closedByUs()), 'the workbench closed the connection'],
])('a question whose call %s is withdrawn with that reason', async (_, end, reason) => {
  const caller = agentNamed('caller');
  const questions = createQuestions(asker, undefined, clocks().pause);
  let asking: Promise<unknown> | undefined;
  const called = questions.during(caller, () => {
    asking = questions.ask(question, signal);
    return end();
  });
  await called.then(undefined, () => {});
  await expect(asking).rejects.toThrow('withdrawn');
  const withdrawn = caller.ask.mock.calls[0]?.[1];
  expect(withdrawn && failureOf(withdrawn).message).toBe(reason);
});

test('a question that the server withdraws is withdrawn from the agent', async () => {
  const withdrawn = new AbortController();
  const caller = agentNamed('caller');
  const questions = createQuestions(asker, undefined, clocks().pause);
  await questions.during(caller, async () => {
    const asking = questions.ask(question, withdrawn.signal);
    withdrawn.abort();
    await expect(asking).rejects.toThrow('withdrawn');
  });
});

test('a call that waits long keeps nothing of the questions beside it', async () => {
  const warned = vi.fn();
  process.on('warning', warned);
  const [patient, end] = [agentNamed('patient'), pending<void>()];
  const questions = createQuestions(asker, undefined, clocks().pause);
  const waiting = questions.during(patient, () => end.promise);
  for (let count = 0; count < 20; count++) {
    const caller = agentNamed(`caller ${count}`);
    caller.answer();
    await questions.during(caller, () => questions.ask(question, new AbortController().signal));
  }
  end.resolve();
  await waiting;
  // Warnings come with the next tick.
  await new Promise(setImmediate);
  process.off('warning', warned);
  expect(warned).not.toHaveBeenCalled();
});

test('with calls of two agents in flight neither is asked, and each is asked again when it is alone', async () => {
  const [alice, bob] = twoSessions();
  const questions = createQuestions(asker, alice, clocks().pause);
  const ofAlice = pending<void>();
  const alices = questions.during(alice, () => ofAlice.promise);
  await questions.during(bob, async () => {
    await expect(questions.ask(question, signal)).rejects.toThrow('calls of several clients are in flight');
    ofAlice.resolve();
    await alices;
    bob.answer();
    expect(await questions.ask(question, signal)).toEqual({ name: 'bob' });
  });
  expect(alice.ask).not.toHaveBeenCalled();
});

test('a question that waits for its turn goes to no other agent when its call has ended', async () => {
  const form = { method: 'elicitation/create', params: { message: 'Name?' } };
  const [alice, bob] = twoSessions({ elicitation: {} });
  const questions = createQuestions(asker, undefined, clocks().pause);
  const [ofAlice, ofBob] = [pending<void>(), pending<void>()];
  const alices = questions.during(alice, () => ofAlice.promise);
  const [first, second] = [1, 2].map(() => questions.ask(form, new AbortController().signal));
  await vi.waitFor(() => expect(alice.ask).toHaveBeenCalledTimes(1));
  const bobs = questions.during(bob, () => ofBob.promise);
  ofAlice.resolve();
  await alices;
  await expect(first).rejects.toThrow('withdrawn');
  await expect(second).rejects.toThrow('only possible during a call');
  ofBob.resolve();
  await bobs;
  expect(bob.ask).not.toHaveBeenCalled();
});

test('the question of a call that was given up reaches no other session', async () => {
  const [alice, bob] = twoSessions();
  const sharing = { askedAmbiguously: vi.fn() };
  const questions = createQuestions(asker, alice, clocks().pause, sharing);
  const cancelled = questions.during(alice, () => Promise.reject(new DownstreamFailure('cancelled', 'given up')));
  await expect(cancelled).rejects.toThrow('given up');
  await questions.during(bob, () =>
    expect(questions.ask(question, signal)).rejects.toThrow('calls of several clients are in flight'),
  );
  expect(bob.ask).not.toHaveBeenCalled();
  expect(sharing.askedAmbiguously).toHaveBeenCalledOnce();
});

test('a server that is not offered roots gets none, during a call and outside', async () => {
  const agent = agentNamed('agent');
  agent.answer();
  const questions = createQuestions({ ...asker, offersRoots: false }, agent, clocks().pause);
  const refusal = { code: -32_601, message: 'Roots are not offered to this server: "roots" is not true in its entry' };
  await expect(questions.ask(question, signal)).rejects.toMatchObject(refusal);
  await questions.during(agent, () => expect(questions.ask(question, signal)).rejects.toMatchObject(refusal));
  expect(agent.ask).not.toHaveBeenCalled();
});

test('an agent that has gone is not asked', async () => {
  const gone = new Cancellation();
  const starter = { ...agentNamed('starter'), gone };
  const questions = createQuestions(asker, starter, clocks().pause);
  gone.cancel();
  await expect(questions.ask(question, signal)).rejects.toMatchObject({ code: -32_601 });
  expect(starter.ask).not.toHaveBeenCalled();
});

test('a question outside of calls does not suspend the timeouts of calls', async () => {
  const { pause, paused } = clocks();
  const starter = agentNamed('starter');
  const questions = createQuestions(asker, starter, pause);
  const asking = questions.ask(question, signal);
  expect(paused()).toBe(0);
  starter.answer();
  await asking;
});

test('a question outside of calls waits for the next call of an agent that can only be asked during calls', async () => {
  const modern = { ...agentNamed('modern'), id: 'session-1' };
  modern.ask.mockRejectedValueOnce(new OnlyDuringCalls());
  const questions = createQuestions(asker, modern, clocks().pause);
  const asking = questions.ask(question, signal);
  await questions.during({ ...agentNamed('other'), id: 'session-2' }, async () => {});
  expect(modern.ask).toHaveBeenCalledOnce();
  modern.answer();
  await questions.during(modern, async () => expect(await asking).toEqual({ name: 'modern' }));
});

test('a question that waits for a call ends when the server withdraws it', async () => {
  const modern = agentNamed('modern');
  modern.ask.mockRejectedValueOnce(new OnlyDuringCalls());
  const abort = new AbortController();
  const asking = createQuestions(asker, modern, clocks().pause).ask(question, abort.signal);
  await new Promise(setImmediate);
  abort.abort();
  await expect(asking).rejects.toMatchObject({ code: -32_601 });
});

describe('a server that asks too much', () => {
  const form = { method: 'elicitation/create', params: { message: 'Name?' } };
  const user = () => agentNamed('user', { elicitation: {}, roots: {} });

  test('is refused after 20 questions of a call, and again after 20 requests for roots between two calls', async () => {
    const agent = user();
    agent.answer();
    const questions = createQuestions(asker, agent, clocks().pause);
    const askTimes = async (asked: Question) => {
      const answers = Array.from({ length: 25 }, () => questions.ask(asked, signal));
      return (await Promise.allSettled(answers)).filter(({ status }) => status === 'fulfilled').length;
    };
    expect(await questions.during(agent, () => askTimes(form))).toBe(20);
    expect(await askTimes(question)).toBe(20);
    expect(await questions.during(agent, () => askTimes(form))).toBe(20);
    await expect(questions.ask(form, signal)).rejects.toThrow('only possible during a call');
  });

  test('has the next question asked when the one before is answered', async () => {
    const agent = user();
    const questions = createQuestions(asker, agent, clocks().pause);
    await questions.during(agent, async () => {
      const both = [1, 2].map(() => questions.ask(form, new AbortController().signal));
      await new Promise(setImmediate);
      expect(agent.ask).toHaveBeenCalledTimes(1);
      agent.answer();
      await Promise.all(both);
      expect(agent.ask).toHaveBeenCalledTimes(2);
    });
  });

  test('stops the clocks of a call for ten minutes in all, however often it asks', async () => {
    vi.useFakeTimers();
    try {
      const { pause, paused } = clocks();
      const [agent, budget] = [user(), newBudget()];
      const questions = createQuestions(asker, agent, pause);
      const asks = async (ms: number) => {
        const withdrawal = new AbortController();
        const asking = questions.ask(form, withdrawal.signal);
        await vi.advanceTimersByTimeAsync(ms);
        const wasPaused = paused();
        withdrawal.abort();
        await expect(asking).rejects.toThrow('withdrawn');
        expect(paused()).toBe(0);
        return wasPaused;
      };
      const inCall = (ms: number) => questions.during(agent, () => asks(ms), budget);
      expect(await inCall(400_000)).toBe(1);
      expect(await inCall(199_000)).toBe(1);
      expect(await inCall(2_000)).toBe(0);
      expect(await inCall(1)).toBe(0);
      expect(await questions.during(agent, () => asks(1))).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });
});
