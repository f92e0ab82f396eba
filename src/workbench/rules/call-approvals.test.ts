import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fakeAgent, serverConfig } from '../../../test/support/fake-port.js';
import { Cancellation } from '../../jsonrpc/cancellation.js';
import { newBudget } from '../asking/asked-question.js';
import { inTurn } from '../asking/question-turns.js';
import type { Agent } from '../ports/agent.js';
import type { AskingCall } from './asking-call.js';
import { createCallApprovals } from './call-approvals.js';
import { unmasked } from './unmasked.js';

const server = serverConfig({ name: 'fs', rules: [{ from: 'server', deny: [], ask: ['*'], allow: [] }] });
const tool = { toolbox: 'dev', server: 'fs', name: 'drop' };
const saying = (answer: string) => ({ action: 'accept', content: { answer } });

const person = (ask: Agent['ask']): Agent =>
  fakeAgent({ capabilities: { elicitation: {} }, ask, gone: new Cancellation() });

const callOf = (
  agent: Agent | undefined,
  args: AskingCall['args'] = {},
  more: Partial<AskingCall> = {},
): AskingCall => ({
  server,
  tool,
  args,
  options: { ...(agent && { agent }) },
  ...more,
});

const approvals = () => createCallApprovals(unmasked, inTurn);
const refusal = { code: 'CALL_NOT_APPROVED' };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a declined call can be asked about again after a minute, not before', async () => {
  const ask = vi.fn<Agent['ask']>(async () => saying('no'));
  const asking = approvals();
  const call = callOf(person(ask));
  await expect(asking.obtain(call)).rejects.toMatchObject(refusal);
  await vi.advanceTimersByTimeAsync(59_000);
  await expect(asking.obtain(call)).rejects.toMatchObject(refusal);
  expect(ask).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(2_000);
  await expect(asking.obtain(call)).rejects.toMatchObject(refusal);
  expect(ask).toHaveBeenCalledTimes(2);
});

test('an unanswered question ends after ten minutes, and no timer is left', async () => {
  const ask: Agent['ask'] = (_, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('withdrawn'))));
  const obtained = approvals().obtain(callOf(person(ask)));
  const checked = expect(obtained).rejects.toMatchObject({ ...refusal, message: expect.stringContaining('withdrawn') });
  await vi.advanceTimersByTimeAsync(600_000);
  await checked;
  expect(vi.getTimerCount()).toBe(0);
});

describe('calls at the same time', () => {
  test('are asked about one after the other; an answer for the session also holds for waiting calls', async () => {
    let open = 0;
    const answers = ['once', 'session'];
    const ask = vi.fn<Agent['ask']>(async () => {
      expect(++open).toBe(1);
      await Promise.resolve();
      open--;
      return saying(answers.shift() ?? 'no');
    });
    const asking = approvals();
    const agent = person(ask);
    await Promise.all([1, 2, 3, 4].map((number) => asking.obtain(callOf(agent, { number }))));
    expect(ask).toHaveBeenCalledTimes(2);
  });

  test('that are the same are declined together', async () => {
    const ask = vi.fn<Agent['ask']>(async () => saying('no'));
    const asking = approvals();
    const agent = person(ask);
    const both = await Promise.allSettled([asking.obtain(callOf(agent)), asking.obtain(callOf(agent))]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(ask).toHaveBeenCalledTimes(1);
  });
});

test('an answer for the session is for no other session, tool or entry', async () => {
  const ask = vi.fn<Agent['ask']>(async () => saying('session'));
  const asking = approvals();
  const [one, other] = [person(ask), person(ask)];
  const calls = [
    callOf(one),
    callOf(other),
    callOf(one, {}, { tool: { ...tool, name: 'other' } }),
    callOf(one, {}, { tool: { ...tool, toolbox: 'prod' } }),
    callOf(one, {}, { server: serverConfig({ ...server, fingerprint: 'another' }) }),
  ];
  for (const call of calls) await asking.obtain(call);
  expect(ask).toHaveBeenCalledTimes(calls.length);
  for (const call of calls) await asking.obtain(call);
  expect(ask).toHaveBeenCalledTimes(calls.length);
});

test.each([
  ['no agent', undefined],
  ['an agent without forms', fakeAgent({ capabilities: { elicitation: { url: {} } } })],
  ['an agent without elicitation', fakeAgent({ capabilities: { sampling: {} } })],
])('with %s nobody is asked', async (_, agent) => {
  await expect(approvals().obtain(callOf(agent))).rejects.toMatchObject({
    ...refusal,
    message: expect.stringContaining('this client cannot ask'),
    hint: expect.stringContaining('"allow": ["drop"]'),
  });
});

test('the approval of a round is for the next round of the same call, once', async () => {
  const asking = approvals();
  const round = (args: AskingCall['args'], budget = newBudget()) => callOf(undefined, args, { options: { budget } });
  const budget = newBudget();
  asking.carryOn(round({ a: 1, b: 2 }, budget));
  const { approval } = budget;
  expect(asking.isCarriedOn(round({ b: 2, a: 1 }, budget))).toBe(true);
  expect(asking.isCarriedOn(round({ a: 1, b: 2 }, newBudget(0, approval)))).toBe(false);
  asking.carryOn(round({ a: 1 }, budget));
  expect(asking.isCarriedOn(round({ a: 2 }, newBudget(0, budget.approval)))).toBe(false);
  expect(asking.isCarriedOn(round({ a: 1 }, newBudget(0, budget.approval)))).toBe(false);
  expect(asking.isCarriedOn(round({ a: 1 }, newBudget(0, 'guessed')))).toBe(false);
});

describe('the question before a call', () => {
  const named = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'v'.repeat(100)]));

  async function linesFor(args: AskingCall['args']): Promise<string[]> {
    const ask = vi.fn<Agent['ask']>(async () => saying('once'));
    await approvals().obtain(callOf(person(ask), args));
    return String(ask.mock.calls[0]?.[0].params?.['message']).split('\n').slice(1);
  }

  test('has a line for each of 200 arguments, with the beginning of its value', async () => {
    const lines = await linesFor(named(200));
    expect(lines).toHaveLength(200);
    expect(lines.at(-1)).toBe(`key199: "${'v'.repeat(38)}… (cut: 102 characters in all)`);
    expect((await linesFor(named(20))).at(-1)).toBe(`key19: "${'v'.repeat(100)}"`);
  });

  test('quotes a name that looks like another line', async () => {
    expect(await linesFor({ 'a: 1\nb': 2 })).toEqual([String.raw`"a: 1\nb": 2`]);
  });

  test.each([
    ['more than 200 arguments', named(201)],
    ['a name of more than 200 characters', { ['n'.repeat(201)]: 1 }],
  ])('is not put for a call with %s: the call is refused', async (_, args) => {
    const ask = vi.fn<Agent['ask']>(async () => saying('session'));
    const refused = approvals().obtain(callOf(person(ask), args));
    await expect(refused).rejects.toMatchObject({
      ...refusal,
      message: expect.stringContaining('too much for a person to read'),
    });
    expect(ask).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});
