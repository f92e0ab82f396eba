import { describe, expect, test } from 'vitest';
import { eras, type User } from '../support/agents.js';
import { fixture } from '../support/servers.js';
import { startTeamService } from '../support/team-service.js';

// @module-tag slow

const form = { type: 'object', properties: { by: { type: 'string' } } };

/** The same server in both eras. */
const servers = { legacy: fixture(), modern: fixture('--modern') };

/** A client that answers every question with its own name, and remembers what it was asked. */
function person(name: string): User & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    clientName: name,
    capabilities: { elicitation: { form: {} } },
    answer(_method, { message = '' }) {
      asked.push(message);
      return { action: 'accept', content: { by: name } };
    },
  };
}

const clients = ['ada', 'bob'].flatMap((subject) =>
  eras.flatMap((era) => ['one', 'two'].map((which) => ({ subject, era, name: `${subject}, ${era}, ${which}` }))),
);

describe.each(Object.keys(servers))('questions of a %s server', (server) => {
  test('go to the client of their call and to no other: eight clients of two users, 100 calls at a time', async () => {
    const service = await startTeamService({ servers, http: { limits: { requestsPerSecond: 10_000 } } });
    const connected = await Promise.all(
      clients.map(async ({ subject, era, name }) => {
        const user = person(name);
        return { name, user, agent: await service.connect(subject, era, user) };
      }),
    );
    const wrong: string[] = [];
    const calls = Array.from({ length: 100 }, async (_, at) => {
      const { name, agent } = connected[at % connected.length] ?? { name: '', agent: undefined };
      const question = {
        method: 'elicitation/create',
        params: { message: `for ${name}, ${at}`, requestedSchema: form },
      };
      const result = JSON.stringify(await agent?.use('dev', server, 'ask_user', { rounds: [{ q: question }] }));
      const isRefused = result.includes('calls of several');
      if (!isRefused && !result.includes(name)) wrong.push(`${name}: ${result}`);
    });
    await Promise.all(calls);
    expect(wrong).toEqual([]);
    for (const { name, user } of connected) {
      expect(user.asked.filter((message) => !message.includes(`for ${name}, `))).toEqual([]);
      expect(user.asked.length).toBeGreaterThan(0);
    }
    await Promise.all(connected.map(({ agent }) => agent.close()));
  });
});
