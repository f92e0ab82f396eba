import { expect, test } from 'vitest';
import { linuxOnly } from '../support/platform.js';
import { call, clients, resultsIn } from './scripted-clients.js';

linuxOnly('clients reach the model in a network of their own');

// A tool that is silent for longer than some clients wait, with the default settings of both.

const ms = 80_000;
const early: ReadonlySet<string> = new Set(['Cline', 'Continue']);
const wait = { ...call('sleep', {}), arguments: undefined, result: { of: 'r1' } };

test.each(Object.keys(clients))(
  '%s gets the result of a tool that is silent for 80 s, which is called once',
  async (client) => {
    const { read, printed } = await resultsIn(client, [
      call('sleep', { ms }),
      ...(early.has(client) ? [wait] : []),
      call('stats', {}),
      call('echo', {}),
    ]);
    const [stats = '', result, ticket] = read.toReversed();
    if (early.has(client))
      expect(ticket, printed).toMatch(/Still running after 50 s\. It goes on\. Wait for it: use_tool \{.*"of":"r1"/);
    // Codex writes the time before it.
    expect(result, printed).toMatch(/(?:^|\n)slept 80000 ms$/);
    expect(stats).toContain('"calls":2,');
  },
);
