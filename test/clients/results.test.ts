import { expect, test } from 'vitest';
import { tokensAtMost } from '../../src/text/estimate-tokens.js';
import { linuxOnly } from '../support/platform.js';
import { call, clients, resultsIn } from './scripted-clients.js';

linuxOnly('clients reach the model in a network of their own');

// What the models of real clients read of a result.

const texts = (text: string) => call('result', { content: [{ type: 'text', text }] });

test('Gemini CLI shows results that are JSON but no object', async () => {
  const results = ['[{"a":1}]', '7', '"seven"', 'null', 'true'];
  const { read, printed } = await resultsIn('Gemini CLI', [...results.map(texts), call('echo', {})]);
  expect(read, printed).toEqual(results);
});

test.each(Object.keys(clients))(
  '%s finds the one in 500 KB with the outline and one more call, in 1,500 tokens',
  async (client) => {
    const of = { of: 'r1', select: "[?labels[0].name=='timeout'].title" };
    const { read, printed } = await resultsIn(client, [
      call('issues', { count: 560 }),
      { ...call('issues', {}), arguments: undefined, result: of },
      call('echo', {}),
    ]);
    const [outline = '', found = ''] = read;
    expect(outline, printed).toContain('[560 × {number: number, title: string');
    expect(outline).toMatch(/\n\n?\d+,\d+ characters, more than this client shows\. Kept;/);
    expect(outline).toContain('"result":{"of":"r1","select":"…"}}');
    expect(found).toContain('Question about module 18');
    expect(tokensAtMost(read.slice(0, 2).join(''))).toBeLessThanOrEqual(1_500);
  },
);
