import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clientNamed, connectAgentTo, opened, text } from '../support/agents.js';
import { devToolbox } from '../support/configs.js';
import { endHosts } from '../support/hosts.js';
import { connectAgent } from '../support/in-process.js';
import { prepareLaunch, temporaryDirectory } from '../support/launch.js';
import { scriptedServersWith } from '../support/processes.js';
import { listedTools } from '../support/real-tools.js';
import { fixture, fixtureWith, real } from '../support/servers.js';

const tool = (name: string, description: string, properties: Record<string, object> = {}) => ({
  name,
  description,
  inputSchema: { type: 'object', properties },
});

const mail = [
  tool('send_mail', 'Sends a mail to somebody.', { to: { type: 'string' }, body: { type: 'string' } }),
  tool('list_folders', 'Lists the folders of a mailbox.'),
];
const files = [tool('read_file', 'Reads a file.', { path: { type: 'string' } })];

test('a client finds a tool by words, sees its schema, and calls it', async () => {
  const agent = await connectAgent('v1', {
    config: devToolbox({ mail: fixtureWith(mail), files: fixtureWith(files) }),
  });
  const found = opened(await agent.call('open_toolbox', { toolbox: 'dev', query: 'write a mail to a friend' }));
  expect(found.tools).toEqual([]);
  expect(found.columns).toEqual(['server', 'name', 'description', 'signature']);
  expect(found.rows?.[0]).toEqual(['mail', 'send_mail', 'Sends a mail to somebody.', '(to?: string, body?: string)']);
  const seen = opened(await agent.call('open_toolbox', { toolbox: 'dev', tools: ['send_mail'] }));
  expect(seen.tools).toEqual([{ ...mail[0], toolbox: 'dev', server: 'mail' }]);
  expect(text(await agent.use('dev', 'mail', 'send_mail', { to: 'x' }))).toBe('{"to":"x"}');
});

test('a client gets names only, if it requests them', async () => {
  const agent = await connectAgent('v2 modern', { config: devToolbox({ mail: fixtureWith(mail) }) });
  const names = opened(await agent.call('open_toolbox', { toolbox: 'dev', detail: 'names' }));
  expect(names.rows).toEqual([
    ['mail', 'send_mail'],
    ['mail', 'list_folders'],
  ]);
});

test('tools listed in one run are found in the next, in all toolboxes, without starting a server', async () => {
  const launch = prepareLaunch({ config: devToolbox({ mail: fixtureWith(mail), other: fixture('--never-answer') }) });
  const first = await connectAgentTo(launch, 'v2 legacy');
  await first.call('open_toolbox', { toolbox: '*' });
  expect(scriptedServersWith(launch.marker)).toEqual([]);
  await first.use('dev', 'mail', 'list_folders');
  await first.close();
  await endHosts();
  const next = await connectAgentTo(launch, 'v2 modern');
  const found = opened(await next.call('open_toolbox', { toolbox: '*', query: 'send mail' }));
  expect(found.rows?.[0]?.slice(0, 3)).toEqual(['dev', 'mail', 'send_mail']);
  expect(found.notes?.join(' ')).toContain('Not all tools are known yet in: dev.');
  const summary = opened(await next.call('open_toolbox', { toolbox: '*' }));
  expect(summary.rows?.[0]?.[3]).toBe('2 + tools of 1 server not listed yet');
  expect(scriptedServersWith(launch.marker)).toEqual([]);
});

test('an answer stays within the configured budget, and says how to list the rest', async () => {
  const dir = temporaryDirectory();
  mkdirSync(join(dir, 'files'));
  const servers = { filesystem: real.filesystem(join(dir, 'files')), everything: real.everything() };
  const config = { ...devToolbox(servers), openBudgetChars: 6_000 };
  const agent = await connectAgent('v2 modern', { config });
  const answer = text(await agent.open('dev'));
  expect(answer.length).toBeLessThanOrEqual(6_000);
  const listing = JSON.parse(answer);
  expect(listing.rows.map((row: string[]) => row[1])).toContain('read_text_file');
  expect(listing.notes.join(' ')).toContain('"tools":["');
});

describe('to a client that shows', () => {
  // In Chinese: 18,000 characters, 26,000 bytes.
  const railway = () => fixtureWith(listedTools.railway);
  const servers = () => ({ one: railway(), two: railway(), three: railway() });

  async function answerTo(clientName: string, settings: object = {}): Promise<string> {
    const config = { ...devToolbox(servers()), ...settings };
    return text(await (await connectAgent('v2 legacy', { config }, clientNamed(clientName))).open('dev'));
  }

  test('20,000 characters, all tools are shown in full', async () => {
    expect(JSON.parse(await answerTo('claude-code')).tools).toHaveLength(24);
  });

  test('7,000 characters, an answer has no more, and uses them', async () => {
    const answer = await answerTo('@cline/core');
    expect(answer.length).toBeGreaterThan(5_600);
    expect(answer.length).toBeLessThanOrEqual(7_000);
    expect(JSON.parse(answer).notes[1]).toContain('limited to 7000 characters (this client shows no more)');
  });

  test('20,000 bytes, an answer has no more, and uses them', async () => {
    const answer = await answerTo('copilot-cli');
    expect(Buffer.byteLength(answer)).toBeGreaterThan(16_000);
    expect(Buffer.byteLength(answer)).toBeLessThanOrEqual(20_000);
  });

  test('less, an answer is as long as configured', async () => {
    const answer = await answerTo('@cline/core', { openBudgetChars: 30_000 });
    expect(JSON.parse(answer).tools).toHaveLength(24);
  });
});

test.each([
  [{ toolbox: 'dev', query: 7 }, 'Invalid parameters: query: Expected string, received number'],
  [{ toolbox: 'dev', tools: 'echo' }, 'Invalid parameters: tools: Expected array, received string'],
  [{ toolbox: 'dev', tools: [{ name: 'x' }] }, 'Invalid parameters: tools.0: Expected the name of a tool'],
  [{ toolbox: 'dev', detail: 'all' }, "Invalid parameters: detail: Expected 'full', 'signatures' or 'names'"],
])('%j is answered with what is wrong with it', async (args, fault) => {
  const agent = await connectAgent('v2 modern', { config: devToolbox({ mail: fixtureWith(mail) }) });
  const answer = await agent.call('open_toolbox', args);
  expect(answer.isError).toBe(true);
  expect(text(answer).startsWith(fault)).toBe(true);
});
