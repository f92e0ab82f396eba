// @module-tag hostile
import { expect, test } from 'vitest';
import { connectAgent, text } from '../support/agents.js';
import { devToolbox } from '../support/configs.js';
import { connectRaw } from '../support/forwarding.js';
import { expectNotHeldUp, hostile } from '../support/hostile.js';

test.each([
  ['millions of arrays in a result', 'brackets', /was not read: it has more than 500000 values/],
  ['a result of 20,000 levels', 'levels', /was not read: it is nested more than 100 levels deep/],
  ['large notifications during a call', 'notification', /^done$/],
  ['millions of hidden characters in an error', 'error', /error 7: wrong… \(2666671 characters\)/],
  ['millions of line separators in a result', 'separators', /it has over 100000 line separators/],
])('%s hold up no other server', async (_, kind, expected) => {
  const config = devToolbox({ hostile: hostile('heavy-messages'), honest: hostile('hidden-text') });
  const agent = await connectAgent('v2 legacy', { config });
  await agent.use('dev', 'hostile', 'echo', {});
  const attack = async () => text(await agent.use('dev', 'hostile', 'attack', { kind })).slice(0, 1_000);
  const said = await expectNotHeldUp(agent, ['dev', 'honest'], () => attack().catch(String));
  expect(said).toMatch(expected);
  expect(text(await agent.use('dev', 'hostile', 'echo', { still: 'here' }))).toBe('{"still":"here"}');
});

test('a result of 100 levels arrives, one of 101 does not, whatever its size', async () => {
  const agent = await connectRaw('legacy', devToolbox({ any: hostile('heavy-messages') }));
  const attempt = async (levels: number) => JSON.stringify(await agent.use('attack', { kind: 'levels', levels }));
  expect(await attempt(98)).toContain('"a":1');
  expect(await attempt(99)).toContain('it is nested more than 100 levels deep');
});
