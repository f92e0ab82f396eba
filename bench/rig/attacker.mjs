import { pause } from './wait.mjs';

const answerLimitMs = 20_000;

/** The user behind the client: answers some questions, and others never or with nonsense. */
export function createUser(random) {
  const answers = {
    'roots/list': () => ({ roots: [] }),
    'elicitation/create': () =>
      random.pick([{ action: 'decline' }, { action: 'accept', content: {} }, { action: 'cancel' }]),
    'sampling/createMessage': () => ({ model: 'none', role: 'assistant', content: { type: 'text', text: 'no' } }),
  };
  return {
    capabilities: { roots: {}, sampling: {}, elicitation: { form: {}, url: {} } },
    async answerRequest(method) {
      if (random.next() < 0.2) throw new Error('not now');
      if (random.next() < 0.2) await pause(random.between(1, 3_000));
      return answers[method]();
    },
  };
}

/**
 * Calls the tool `attack` of a hostile server again and again, sometimes another tool, sometimes with a cancellation. What
 * comes back does not matter. It rests between two calls; resolves at `end`.
 */
export async function provoke(client, { toolbox, server }, random, end, restMs = [0, 400]) {
  while (performance.now() < end) {
    const name = random.next() < 0.8 ? 'attack' : 'echo';
    const { id, answer } = client.ask('tools/call', {
      name: 'use_tool',
      arguments: { tool: { toolbox, server, name }, arguments: {} },
      _meta: { progressToken: `${server} ${performance.now()}` },
    });
    const answered = answer.then(
      () => true,
      () => true,
    );
    const limit = random.next() < 0.3 ? random.between(1, 2_000) : answerLimitMs;
    const isAnswered = await Promise.race([
      answered,
      pause(Math.min(limit, end - performance.now())).then(() => false),
    ]);
    if (!isAnswered) client.notify('notifications/cancelled', { requestId: id });
    await pause(random.between(...restMs));
  }
}
