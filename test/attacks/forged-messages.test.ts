import { describe, expect, test } from 'vitest';
import { connectBare } from '../support/bare-client.js';
import { devToolbox } from '../support/configs.js';
import { hostile, modernHostile } from '../support/hostile.js';
import { prepareLaunch } from '../support/launch.js';

describe.each([
  ['legacy', hostile('carriage-return')],
  ['modern', modernHostile('carriage-return')],
])('a %s server', (_, server) => {
  test('cannot answer for another with a carriage return inside a large result', async () => {
    const client = connectBare(prepareLaunch({ config: devToolbox({ hostile: server }) }));
    await client.initialize();
    const answer = await client.use('dev', 'hostile', 'attack', { victim: 4711 });
    expect(answer.message.result?.content?.[0]?.text).toHaveLength(100_000);
    expect(answer.line.includes('\r')).toBe(false);
  });
});
