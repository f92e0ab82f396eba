// @module-tag slow

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type Agent, eras, type Flavour, statsOf, text } from '../support/agents.js';
import { callLog } from '../support/call-log.js';
import { devToolbox } from '../support/configs.js';
import {
  askUser,
  connectRaw,
  everything,
  forwards,
  offeringRoots,
  oneServer,
  serverOf,
  userWho,
} from '../support/forwarding.js';
import { connectAgent } from '../support/in-process.js';
import { temporaryDirectory } from '../support/launch.js';
import { real } from '../support/servers.js';
import { until } from '../support/until.js';

const roots = { method: 'roots/list' };
const folders = { roots: [{ uri: 'file:///home/ada', name: 'home' }] };
const changing = { roots: { listChanged: true } };

forwards('roots, if the server has `"roots": true`', async (pair) => {
  const user = userWho(() => folders);
  const agent = await pair.connect(await pair.to(offeringRoots(pair.server)), user);
  expect(await askUser(agent, { where: roots })).toEqual([{ where: folders }]);
});

forwards('roots, if not', async (pair) => {
  const user = userWho(() => folders, { ...everything, ...changing });
  const agent = await pair.connect(await pair.to(oneServer(pair.server)), user);
  const { offered, received } = await statsOf(agent, 'dev', 'any');
  const capabilities = offered ?? received[0]?._meta?.['io.modelcontextprotocol/clientCapabilities'];
  expect(capabilities).toEqual({ elicitation: everything.elicitation, sampling: {} });
  const result = await agent.use('dev', 'any', 'ask_user', { rounds: [{ roots }] });
  if (pair.server === 'legacy') expect(text(result)).toContain('Roots are not offered to this server');
  else expect(text(result)).toMatch(/it requires roots\/list, which is not offered to it\. "roots": true in the entry/);
  expect(user.asked).toEqual([]);
});

forwards('changes of roots', async (pair, how) => {
  const log = callLog();
  const agent = await pair.connectRaw(await pair.to(offeringRoots(pair.server, '--log', log.path)), changing);
  const before = JSON.parse(textOf(await agent.use('stats')));
  if (pair.server === 'legacy') expect(before.offered).toEqual(changing);
  agent.workbench.notify('notifications/roots/list_changed');
  const seen = () => log.methods('notifications/roots/list_changed');
  // Over HTTP it may arrive after a later call.
  if (how === 'reach the server') await until(() => seen().length === 1);
  await agent.use('echo');
  expect(seen()).toHaveLength(how === 'reach the server' ? 1 : 0);
});

function textOf({ result }: { result?: Record<string, unknown> }): string {
  return text(result as unknown as Parameters<typeof text>[0]);
}

describe.each(eras)('a server that asks a %s client for roots when it starts', (flavour) => {
  const setUp = async (settings: object = {}) => {
    const log = callLog();
    const user = userWho(() => folders);
    const entry = offeringRoots('legacy', '--log', log.path, '--ask-roots', 0);
    const config = { ...entry, defaults: settings };
    const agent = await connectAgent(flavour, { config }, user);
    /** What the server received after its start: answers have no method. */
    const order = () =>
      log
        .entries()
        .map(({ method = 'answer' }) => method)
        .filter((method) => /answer|tools\/call/.test(method));
    return { agent, user, order };
  };

  test('gets them within open_toolbox', async () => {
    const { agent, user, order } = await setUp();
    await agent.open('dev');
    expect(user.asked).toHaveLength(1);
    expect((await statsOf(agent, 'dev', 'any')).answers).toMatchObject([{ result: folders }]);
    expect(order()).toEqual(['answer', 'tools/call']);
    expect(user.asked).toHaveLength(1);
  });

  test('gets them beside many others, with as many questions as the client allows', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `server-${index}`);
    const servers = names.map((name) => [name, { ...serverOf('legacy', '--ask-roots', 0), roots: true }] as const);
    const user = userWho(() => folders);
    const agent = await connectAgent(flavour, { config: devToolbox(new Map(servers)) }, user);
    await agent.open('dev');
    // A client of 2026-07-28 gives up after ten rounds of questions.
    expect(user.asked).toHaveLength(flavour === 'v2 modern' ? 1 : names.length);
    for (const name of names) {
      expect((await statsOf(agent, 'dev', name)).answers).toMatchObject([{ result: folders }]);
    }
  });

  test('gets them before the call that starts it', async () => {
    const { agent, user, order } = await setUp();
    expect((await statsOf(agent, 'dev', 'any')).answers).toMatchObject([{ result: folders }]);
    expect(order()).toEqual(['answer', 'tools/call']);
    expect(user.asked).toHaveLength(1);
  });

  test('gets them again when a call wakes it', async () => {
    const { agent, user, order } = await setUp({ idleTimeoutMs: 300 });
    const { pid } = await statsOf(agent, 'dev', 'any');
    await until(() => agent.stderr().includes('idle, stopped'));
    const woken = await statsOf(agent, 'dev', 'any');
    expect(woken.pid).not.toBe(pid);
    expect(woken.answers).toMatchObject([{ result: folders }]);
    expect(order()).toEqual(['answer', 'tools/call', 'answer', 'tools/call']);
    expect(user.asked).toHaveLength(2);
  });

  test('gets its calls also if the client refuses to answer', async () => {
    const log = callLog();
    const config = offeringRoots('legacy', '--log', log.path, '--ask-roots', 0);
    const agent = await connectAgent(
      flavour,
      { config },
      userWho(() => ({}), { sampling: {} }),
    );
    expect((await statsOf(agent, 'dev', 'any')).answers).toMatchObject([{ error: { code: -32_601 } }]);
  });
});

test('a server that asks together with its answer to `initialize` gets its first call after the roots, too', async () => {
  const file = join(temporaryDirectory(), 'server.cjs');
  writeFileSync(
    file,
    `let roots = 'none';
const send = (...messages) => process.stdout.write(messages.map((m) => JSON.stringify({ jsonrpc: '2.0', ...m }) + '\\n').join(''));
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, result } = JSON.parse(line);
  const tools = [{ name: 'which', inputSchema: { type: 'object' } }];
  if (method === 'initialize') {
    const answer = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } };
    send({ id, result: answer }, { id: 'roots', method: 'roots/list' });
  } else if (id === 'roots') roots = JSON.stringify(result);
  else if (method === 'tools/list') send({ id, result: { tools } });
  else if (method === 'tools/call') send({ id, result: { content: [{ type: 'text', text: roots }] } });
  else if (method === 'ping') send({ id, result: {} });
  else if (id !== undefined) send({ id, error: { code: -32601, message: 'unknown' } });
});
`,
  );
  // Longer than a server that may still ask is waited for.
  const user = userWho(() => new Promise((resolve) => setTimeout(resolve, 600, folders)));
  const config = devToolbox({ any: { command: process.execPath, args: [file], roots: true } });
  const agent = await connectAgent('v2 legacy', { config }, user);
  expect(JSON.parse(text(await agent.use('dev', 'any', 'which')))).toEqual(folders);
});

test('a call that is held for roots can be cancelled', async () => {
  const log = callLog();
  const agent = await connectRaw('legacy', offeringRoots('legacy', '--log', log.path, '--ask-roots', 0), changing);
  const id = agent.send('echo');
  const asked = await agent.next('roots/list');
  agent.workbench.notify('notifications/cancelled', { requestId: id });
  agent.workbench.send({ id: asked.id, result: folders });
  await agent.use('stats');
  expect(log.methods('tools/call').map(({ name }) => name)).toEqual(['stats']);
});

describe('the real filesystem server', () => {
  const setUp = async (flavour: Flavour, settings: object) => {
    const [configured, root] = [temporaryDirectory(), temporaryDirectory()];
    for (const directory of [configured, root]) writeFileSync(join(directory, 'note.txt'), 'a note');
    const user = userWho(() => ({ roots: [{ uri: pathToFileURL(root).href }] }), changing);
    const config = devToolbox({ files: { ...real.filesystem(configured), ...settings } });
    const agent = await connectAgent(flavour, { config }, user);
    const isAllowed = async (directory: string) => {
      const read = await agent.use('dev', 'files', 'read_text_file', { path: join(directory, 'note.txt') });
      return text(read).includes('a note');
    };
    return {
      agent,
      user,
      allows: async () => ({ configured: await isAllowed(configured), root: await isAllowed(root) }),
    };
  };
  const opens = (agent: Agent) => agent.open('dev');
  const calls = async () => {};

  test.each([
    ['opened', 'v2 modern', opens],
    ['called', 'v2 legacy', calls],
  ] as const)(
    'allows what is configured, and asks for nothing, if it is %s first by a %s client',
    async (_, flavour, first) => {
      const { agent, user, allows } = await setUp(flavour, {});
      await first(agent);
      expect(await allows()).toEqual({ configured: true, root: false });
      expect(user.asked).toEqual([]);
    },
  );

  test.each([
    ['opened', 'v2 legacy', opens],
    ['called', 'v2 modern', calls],
  ] as const)(
    'allows the roots that it is offered if it is %s first by a %s client, and after it slept',
    async (_, flavour, first) => {
      const { agent, allows } = await setUp(flavour, { roots: true, idleTimeoutMs: 300 });
      await first(agent);
      expect(await allows()).toEqual({ configured: false, root: true });
      await until(() => agent.stderr().includes('idle, stopped'));
      expect(await allows()).toEqual({ configured: false, root: true });
    },
  );
});
