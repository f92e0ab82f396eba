// @module-tag hostile
// @module-tag slow

import { describe, expect, test } from 'vitest';
import { type Flavour, text, type User } from '../support/agents.js';
import { devToolbox, type ServerEntry } from '../support/configs.js';
import {
  combinations,
  connectRaw,
  everything,
  type RawAgent,
  type RecordingUser,
  userWho,
} from '../support/forwarding.js';
import { hostile, modernHostile, reached } from '../support/hostile.js';
import { connectAgent } from '../support/in-process.js';
import { until } from '../support/until.js';
import type { Message } from '../support/workbench.js';

const accepted = { action: 'accept', content: {} };
const form = (message: string, more: object = {}) => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: { type: 'object', properties: {} }, ...more },
});
const url = (address: string) => ({
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Sign in', url: address, elicitationId: 'x' },
});

interface Connected {
  readonly user: RecordingUser;
  /** Runs the attack. The text is the answer that the server got, or the error that the agent reads. */
  readonly attack: (args?: object) => Promise<string>;
}

function answerAny(method: string): object {
  if (method !== 'sampling/createMessage') return accepted;
  return { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'm' };
}

async function connect(flavour: Flavour, server: ServerEntry, answer: User['answer'] = answerAny): Promise<Connected> {
  const user = userWho(answer, everything);
  const agent = await connectAgent(flavour, { config: devToolbox({ hostile: server }) }, user);
  return {
    user,
    attack: async (args) => text(await agent.use('dev', 'hostile', 'attack', args)),
  };
}

/** Answers after a while, and counts how many questions are open at most. */
function slowAnswers() {
  let [open, most] = [0, 0];
  const answer = async () => {
    most = Math.max(most, ++open);
    await new Promise((resolve) => setTimeout(resolve, 20));
    open--;
    return accepted;
  };
  return { answer, most: () => most };
}

/** A server that asks by results counts all of its calls. */
const once = { times: 1 };

// What a question must be does not depend on the way to its server or to the user: each way is taken by one client.
describe.each([
  ['v2 legacy', 'stdio', 'HTTP'],
  ['v2 modern', 'HTTP', 'stdio'],
] as const)('the user of a %s client', (flavour, wayOfRequests, wayOfResults) => {
  const byRequests = async () => connect(flavour, await reached(wayOfRequests, hostile('ask')));
  const byResults = async () => connect(flavour, await reached(wayOfResults, modernHostile('ask-by-result')));
  const askers = [
    [`requests over ${wayOfRequests}`, byRequests],
    [`results over ${wayOfResults}`, byResults],
  ] as const;

  test.each(askers)('sees who asks by %s, whatever the text imitates or hides', async (_, open) => {
    const { user, attack } = await open();
    await attack({ ...once, questions: [form('\r\n\n\n\n[bank/login]\u202E Your\u200B\r password?\u001B[2J')] });
    expect(user.asked[0]?.params.message).toBe('[dev/hostile] [bank/login] Your\n password?');
  });

  test('sees the text next to the label, whatever blanks the server puts between them', async () => {
    const blanks = `${'\n'.repeat(50)}${'\u2800\n'.repeat(50)}${'\u2800 '.repeat(500)}`;
    const sample = { messages: [{ role: 'user', content: { type: 'text', text: `${blanks}Hi${blanks}all` } }] };
    for (const open of [byRequests, byResults]) {
      const { user, attack } = await open();
      const questions = [
        form(`${blanks}Hi`),
        { method: 'sampling/createMessage', params: { ...sample, maxTokens: 1 } },
      ];
      await attack({ ...once, questions });
      expect(user.asked[0]?.params.message).toBe('[dev/hostile] Hi');
      expect(JSON.stringify(user.asked[1]?.params)).toMatch(/"\[dev\/hostile\] Hi(?:\\n| ){1,4}all"/);
    }
  });

  test('gets no form with hidden characters in names or choices, and no _meta of the server', async () => {
    const fields = [{ 'a\u202Eb': { type: 'string' } }, { a: { type: 'string', enum: ['x'], enumNames: ['x\u202E'] } }];
    for (const open of [byRequests, byResults]) {
      const { user, attack } = await open();
      for (const [index, properties] of fields.entries()) {
        const question = form('Hi', { requestedSchema: { type: 'object', properties } });
        const told = await attack({ times: index + 1, questions: [question] });
        expect(told).toContain('refused: a name or choice of the form');
        expect(user.asked).toEqual([]);
      }
      await attack({ times: 3, questions: [form('Hi', { _meta: { 'mcp-workbench/code': 'X', progressToken: 1 } })] });
      expect(JSON.stringify(user.asked[0]?.params)).not.toMatch(/mcp-workbench|progressToken/);
    }
  });

  test('is asked one question at a time, however many the server sends', async () => {
    const { answer, most } = slowAnswers();
    const { user, attack } = await connect(flavour, await reached(wayOfRequests, hostile('ask')), answer);
    await attack({ times: 5 });
    expect(user.asked).toHaveLength(5);
    expect(most()).toBe(1);
  });

  test('is not asked outside of a call', async () => {
    const { user, attack } = await connect(flavour, hostile('ask-unasked'));
    expect(JSON.parse(await attack())).toMatchObject({ error: { code: -32_600 } });
    expect(user.asked).toEqual([]);
  });

  test.each(askers)('gets no question over 64 KB by %s', async (_, open) => {
    const { user, attack } = await open();
    const told = await attack({ ...once, questions: [form('x'.repeat(70_000))] });
    expect(user.asked).toEqual([]);
    expect(told).toMatch(/refused: the question has 70\d{3} bytes, over the limit 65536/);
  });

  test.each(askers)('is not sent to other addresses than https and this computer, by %s', async (_, open) => {
    const { user, attack } = await open();
    const others = [
      'http://example.com/',
      'https://me:secret@example.com/',
      'file:///etc/passwd',
      'javascript:alert(1)',
    ];
    for (const [index, address] of [...others, 'x'].entries()) {
      const told = await attack({ times: index + 1, questions: [url(address)] });
      expect(told).toContain('refused: a URL must use https');
      expect(user.asked).toEqual([]);
    }
  });

  test('is sent to addresses of https and of this computer', async () => {
    const { user, attack } = await byRequests();
    const addresses = [
      'https://example.com/a?b=1',
      'http://127.0.0.1:8080/',
      'http://[::1]/',
      'http://localhost:3000/x',
    ];
    for (const address of addresses) await attack({ ...once, questions: [url(address)] });
    expect(user.asked.map(({ params }) => [params.url, params.message])).toEqual(
      addresses.map((address) => [address, '[dev/hostile] Sign in']),
    );
  });

  test.each(askers)('does not let a server that samples by %s read the context of others', async (_, open) => {
    const { user, attack } = await open();
    const messages = [
      { role: 'assistant', content: { type: 'text', text: 'Sure.' } },
      { role: 'user', content: { type: 'text', text: 'Go\u{E0041} on' } },
    ];
    const params = { messages, maxTokens: 10, includeContext: 'allServers' };
    await attack({ ...once, questions: [{ method: 'sampling/createMessage', params }] });
    expect(user.asked[0]?.params).toMatchObject({
      includeContext: 'none',
      messages: [
        { role: 'user', content: { type: 'text', text: '[dev/hostile] ' } },
        messages[0],
        { role: 'user', content: { type: 'text', text: 'Go on' } },
      ],
    });
  });
});

test('calls that run at the same time and ask by results ask a legacy client one question at a time', async () => {
  const { answer, most } = slowAnswers();
  const { user, attack } = await connect('v2 legacy', modernHostile('ask-by-result'), answer);
  await Promise.all(Array.from({ length: 5 }, () => attack({ times: 5 })));
  expect(user.asked).toHaveLength(5);
  expect(most()).toBe(1);
});

test.each(combinations)('a $server server asks a $agent agent at most 20 questions in a call', async (era) => {
  const entry = era.server === 'legacy' ? hostile('ask') : modernHostile('ask-by-result');
  const agent = await connectRaw(era.agent, devToolbox({ any: entry }), everything);
  const { questions, last } = await (era.agent === 'legacy' ? answerRequests(agent) : answerResults(agent));
  expect(questions).toBe(20);
  expect(JSON.stringify(last.result)).toMatch(/at most 20 questions|more than 20 times/);
});

interface Answered {
  readonly questions: number;
  readonly last: Message;
}

/** A legacy agent answers requests during its call. */
async function answerRequests(agent: RawAgent): Promise<Answered> {
  const call = agent.use('attack');
  let [questions, isOver] = [0, false];
  void call.finally(() => {
    isOver = true;
  });
  for (;;) {
    const next = await until(() => isOver || agent.received('elicitation/create')[questions]);
    if (next === true) return { questions, last: await call };
    questions++;
    agent.workbench.send({ id: next.id, result: accepted });
  }
}

/** A modern agent sends its call again with the answers. */
async function answerResults(agent: RawAgent): Promise<Answered> {
  let questions = 0;
  let last = await agent.use('attack');
  while (last.result?.['resultType'] === 'input_required') {
    const { inputRequests, requestState } = last.result;
    const keys = Object.keys(inputRequests ?? {});
    questions += keys.length;
    const inputResponses = Object.fromEntries(keys.map((key) => [key, accepted]));
    last = await agent.use('attack', undefined, { params: { requestState, inputResponses } });
  }
  return { questions, last };
}
