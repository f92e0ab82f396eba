import { expect, test } from 'vitest';
import { opened, statsOf, text } from '../support/agents.js';
import { devToolbox } from '../support/configs.js';
import { connectRaw, type Era, everything, serverOf } from '../support/forwarding.js';
import { connectAgent } from '../support/in-process.js';
import { overHttp, type RemoteOptions } from '../support/remote.js';
import { until } from '../support/until.js';

const kinds: readonly [string, Era, RemoteOptions][] = [
  ['a legacy server with sessions', 'legacy', { sessions: true, answers: 'sse' }],
  ['a legacy server over SSE', 'legacy', { transport: 'sse' }],
  ['a modern server', 'modern', { answers: 'json' }],
];

test.each(kinds)('%s that changes its tools is listed anew, however often it says so', async (_, era, options) => {
  const remote = await overHttp(serverOf(era), options);
  const agent = await connectAgent('v2 modern', { config: devToolbox({ any: remote.entry }) });
  await agent.open('dev');
  const isListening = async () =>
    era === 'modern' ? remote.sent('subscriptions/listen').length === 1 : (await remote.control()).getStreams === 1;
  await until(isListening);
  const before = (await statsOf(agent, 'dev', 'any')).toolsList;
  await agent.use('dev', 'any', 'change_tools', { add: ['brand_new'], remove: ['echo'] });
  await agent.use('dev', 'any', 'list_changed', { count: 10_000 });
  const names = async () => opened(await agent.open('dev')).tools.map(({ name }) => name);
  await until(async () => (await names()).includes('brand_new'));
  expect(await names()).not.toContain('echo');
  // How many of them arrive during a listing depends on the load.
  expect((await statsOf(agent, 'dev', 'any')).toolsList - before).toBeLessThan(100);
  expect(text(await agent.use('dev', 'any', 'brand_new', { a: 1 }))).toBe('{"a":1}');
});

test.each(kinds.filter(([, era]) => era === 'legacy'))(
  '%s may ask in a call that is parked for a modern agent',
  async (_, era, options) => {
    const remote = await overHttp(serverOf(era), options);
    const agent = await connectRaw('modern', devToolbox({ any: remote.entry }), everything);
    const question = {
      method: 'elicitation/create',
      params: { message: 'Your name?', requestedSchema: { type: 'object', properties: {} } },
    };
    const asking = { rounds: [{ q: question }, { q: question }] };
    let answer = await agent.use('ask_user', asking);
    for (let round = 0; round < 2; round++) {
      expect(answer.result).toMatchObject({ resultType: 'input_required' });
      const { inputRequests = {}, requestState } = answer.result ?? {};
      const accepted = Object.keys(inputRequests as object).map((key) => [key, { action: 'accept', content: {} }]);
      const inputResponses = Object.fromEntries(accepted);
      answer = await agent.use('ask_user', asking, { params: { requestState, inputResponses } });
    }
    expect(JSON.stringify(answer.result)).toContain('accept');
    expect(remote.sent('tools/call')).toHaveLength(1);
  },
);
