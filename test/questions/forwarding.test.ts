// @module-tag slow
import { describe, expect, test } from 'vitest';
import { type Agent, statsOf, text } from '../support/agents.js';
import { askUser, everything, flavourOf, forwards, offeringRoots, userWho } from '../support/forwarding.js';
import { connectAgent } from '../support/in-process.js';

const form = (message = 'Your name?') => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
});
const url = (more: object = {}) => ({
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Please sign in', url: 'https://example.com/sign-in?a=1', ...more },
});
const sampling = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: 'Summarize' } }], maxTokens: 100 },
};
const roots = { method: 'roots/list' };

const accepted = { action: 'accept', content: { name: 'Ada' } };
const sampled = {
  role: 'assistant',
  content: { type: 'text', text: 'A summary' },
  model: 'm-1',
  stopReason: 'endTurn',
};
const folders = { roots: [{ uri: 'file:///home/ada', name: 'home' }] };

/** How often the server was called: a parked call once, a stateless one again with the answers. */
async function callsOf(agent: Agent): Promise<number> {
  const { received } = await statsOf(agent, 'dev', 'any');
  return received.filter(({ name }) => name === 'ask_user').length;
}

const callsFor = (how: string, rounds: number) => (how === 'parked' ? 1 : rounds + 1);

forwards('elicitation, form', async (eras, how) => {
  const user = userWho(() => accepted);
  const agent = await eras.connect(await eras.to(offeringRoots(eras.server)), user);
  expect(await askUser(agent, { who: form() })).toEqual([{ who: accepted }]);
  expect(user.asked).toHaveLength(1);
  expect(user.asked[0]?.params).toMatchObject(form('[dev/any] Your name?').params);
  expect(await callsOf(agent)).toBe(eras.server === 'legacy' ? 1 : callsFor(how, 1));
});

forwards('elicitation, url', async (eras) => {
  const user = userWho(() => ({ action: 'accept' }));
  const agent = await eras.connect(await eras.to(offeringRoots(eras.server)), user);
  const question = eras.server === 'legacy' ? url({ elicitationId: 'sign-in-7' }) : url();
  expect(await askUser(agent, { signIn: question })).toEqual([{ signIn: { action: 'accept' } }]);
  expect(user.asked[0]?.params).toMatchObject(url({ message: '[dev/any] Please sign in' }).params);
  if (eras.agent === 'legacy')
    expect(user.asked[0]?.params.elicitationId).toMatch(eras.server === 'legacy' ? /^sign-in-7$/ : /^[\w-]{36}$/);
});

forwards('sampling', async (eras) => {
  const user = userWho(() => sampled);
  const agent = await eras.connect(await eras.to(offeringRoots(eras.server)), user);
  expect(await askUser(agent, { model: sampling })).toEqual([{ model: sampled }]);
  const labelled = { role: 'user', content: { type: 'text', text: '[dev/any] Summarize' } };
  expect(user.asked[0]).toMatchObject({ method: sampling.method, params: { messages: [labelled], maxTokens: 100 } });
});

forwards('several questions in one call', async (eras) => {
  const answers = { 'sampling/createMessage': sampled, 'roots/list': folders, 'elicitation/create': accepted };
  const user = userWho((method) => answers[method as keyof typeof answers]);
  const agent = await eras.connect(await eras.to(offeringRoots(eras.server)), user);
  const rounds = [{ who: form() }, { model: sampling, where: roots }, { again: form('And again?') }];
  expect(await askUser(agent, ...rounds)).toEqual([
    { who: accepted },
    { model: sampled, where: folders },
    { again: accepted },
  ]);
  expect(user.asked).toHaveLength(4);
  expect(await callsOf(agent)).toBe(eras.server === 'legacy' ? 1 : 4);
});

forwards('answers that decline or cancel', async (eras) => {
  const user = userWho((_, { message }) => ({ action: message === '[dev/any] First?' ? 'decline' : 'cancel' }));
  const agent = await eras.connect(await eras.to(offeringRoots(eras.server)), user);
  expect(await askUser(agent, { a: form('First?') }, { b: form('Second?') })).toEqual([
    { a: { action: 'decline' } },
    { b: { action: 'cancel' } },
  ]);
});

forwards('a question that the agent does not support', async (eras) => {
  const user = userWho(() => accepted, { elicitation: { form: {} } });
  const agent = await eras.connect(await eras.to(offeringRoots(eras.server)), user);
  for (const question of [sampling, roots, url({ elicitationId: 'x' })]) {
    const result = await agent.use('dev', 'any', 'ask_user', { rounds: [{ question }] });
    if (eras.server === 'legacy') {
      // The server gets the error and decides what to do.
      expect(text(result)).toContain('-32601');
      expect(text(result)).toContain(`does not support ${question.method}`);
    } else {
      expect(result.isError).toBe(true);
      expect(text(result)).toMatch(/^Tool 'ask_user' of server 'any' \(toolbox 'dev'\) failed: it requires /);
      expect(text(result)).toContain(question.method);
      expect(text(result)).toContain('does not support');
    }
  }
  expect(user.asked).toEqual([]);
  // The connection still works.
  expect(await askUser(agent, { who: form() })).toEqual([{ who: accepted }]);
});

describe('the first version of the SDK', () => {
  test.each(['legacy', 'modern'] as const)('supports every question of a %s server', async (server) => {
    const answers = { 'sampling/createMessage': sampled, 'roots/list': folders, 'elicitation/create': accepted };
    const user = userWho((method) => answers[method as keyof typeof answers]);
    const agent = await connectAgent('v1', { config: offeringRoots(server) }, user);
    expect(await askUser(agent, { who: form() }, { model: sampling, where: roots })).toEqual([
      { who: accepted },
      { model: sampled, where: folders },
    ]);
    const question = server === 'legacy' ? url({ elicitationId: 'x' }) : url();
    await askUser(agent, { signIn: question });
    expect(user.asked.at(-1)?.params.url).toBe(url().params.url);
  });
});

describe.each(['legacy', 'modern'] as const)('a %s agent', (era) => {
  test.each([
    ['nothing', {}],
    ['forms only', { elicitation: { form: {} } }],
    ['everything', everything],
  ])('that can be asked %s is offered to a legacy server as just that', async (_, capabilities) => {
    const user = userWho(() => accepted, capabilities);
    const agent = await connectAgent(flavourOf(era), { config: offeringRoots('legacy') }, user);
    expect((await statsOf(agent, 'dev', 'any')).offered).toEqual(capabilities);
  });

  test.each([
    ['nothing', {}],
    ['everything', everything],
  ])('that can be asked %s is offered to a modern server as just that, in every call', async (_, capabilities) => {
    const user = userWho(() => accepted, capabilities);
    const agent = await connectAgent(flavourOf(era), { config: offeringRoots('modern') }, user);
    const { received } = await statsOf(agent, 'dev', 'any');
    expect(received[0]?._meta).toMatchObject({ 'io.modelcontextprotocol/clientCapabilities': capabilities });
    expect(received[0]?._meta?.['io.modelcontextprotocol/clientInfo']).toMatchObject({ name: 'mcp-workbench' });
  });

  test('answers the questions of several calls at once to the same server of its era', async () => {
    const user = userWho(async (_, { message }) => ({ action: 'accept', content: { name: `for ${message}` } }));
    const agent = await connectAgent(flavourOf(era), { config: offeringRoots(era) }, user);
    await agent.open('dev');
    const names = ['a', 'b', 'c', 'd'];
    const answers = await Promise.all(names.map((name) => askUser(agent, { q: form(name) }, { q: form(`${name}2`) })));
    expect(answers).toEqual(
      names.map((name) => [
        { q: { action: 'accept', content: { name: `for [dev/any] ${name}` } } },
        { q: { action: 'accept', content: { name: `for [dev/any] ${name}2` } } },
      ]),
    );
  });

  test('that fails to answer gets that error, and so does a legacy server', async () => {
    const user = userWho(() => {
      throw new Error('the dialog broke');
    });
    const legacy = await connectAgent(flavourOf(era), { config: offeringRoots('legacy') }, user);
    // A modern client cancels the call by itself.
    if (era === 'legacy') {
      expect(await askUser(legacy, { q: form() })).toMatchObject([{ q: { error: { code: -32603 } } }]);
      const modern = await connectAgent(flavourOf(era), { config: offeringRoots('modern') }, user);
      const result = await modern.use('dev', 'any', 'ask_user', { rounds: [{ q: form() }] });
      expect(result.isError).toBe(true);
      expect(text(result)).toMatch(/the client did not answer elicitation\/create: .*the dialog broke/);
    } else {
      await expect(askUser(legacy, { q: form() })).rejects.toThrow('the dialog broke');
    }
  });
});
