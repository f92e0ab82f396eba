import { describe, expect, test } from 'vitest';
import {
  type Agent,
  connectAgent as connectProgram,
  type Flavour,
  opened,
  type RawResult,
  statsOf,
  text,
} from '../support/agents.js';
import { type CallLog, callLog } from '../support/call-log.js';
import { answerOn, runCommand, runOnTerminal } from '../support/commands.js';
import { devToolbox, type ServerEntry } from '../support/configs.js';
import { pending } from '../support/fake-port.js';
import { connectRaw, type RecordingUser, userWho } from '../support/forwarding.js';
import { connectAgent } from '../support/in-process.js';
import { liveConfig } from '../support/live-config.js';
import { linuxOnly } from '../support/platform.js';
import { fixtureWith } from '../support/servers.js';
import { until } from '../support/until.js';

const form = { elicitation: { form: {} } };
const answering = (answer: string) => userWho(() => ({ action: 'accept', content: { answer } }), form);
const cannotAsk = () => userWho(() => ({ action: 'accept', content: { answer: 'once' } }), {});

const uri = 'memo://1';
const link = { content: [{ type: 'resource_link', uri, name: 'memo' }] };
const tools = ['result', 'other'];

/** What the agent gets of the tool `result` in each way. */
interface Facts {
  /** In the plain listing. */
  readonly listed: 'no' | 'plain' | 'asks';
  /** Among the hits of a query. */
  readonly found: 'no' | 'plain' | 'asks';
  readonly used: 'sent' | 'refused' | 'not found';
  readonly resource: 'read' | 'not found';
  readonly usedAgain: Facts['used'];
  /** How often the agent was asked. */
  readonly questions: number;
  /** How many calls the server received. */
  readonly calls: number;
}

const denied: Facts = {
  listed: 'no',
  found: 'no',
  used: 'not found',
  resource: 'not found',
  usedAgain: 'not found',
  questions: 0,
  calls: 0,
};
const free: Facts = {
  listed: 'plain',
  found: 'plain',
  used: 'sent',
  resource: 'read',
  usedAgain: 'sent',
  questions: 0,
  calls: 2,
};
const asked: Facts = { ...free, listed: 'asks', found: 'asks', questions: 2 };
const refused: Facts = {
  listed: 'asks',
  found: 'asks',
  used: 'refused',
  resource: 'not found',
  usedAgain: 'refused',
  questions: 0,
  calls: 0,
};

const rules = {
  deny: { deny: ['result'], allow: ['*'] },
  ask: { ask: ['re*'] },
  allow: { ask: ['*'], allow: ['result'] },
  nothing: {},
};

const outcome = (result: RawResult): Facts['used'] => {
  if (result.isError !== true) return 'sent';
  const code = result._meta?.['mcp-workbench/code'];
  return code === 'CALL_NOT_APPROVED' ? 'refused' : code === 'TOOL_NOT_FOUND' ? 'not found' : 'sent';
};

function mark(tool: { asks?: unknown } | undefined): Facts['listed'] {
  if (tool === undefined) return 'no';
  return tool.asks === true ? 'asks' : 'plain';
}

/** The row of a tool as an object. */
function rowOf(result: RawResult, name: string): { asks?: unknown } | undefined {
  const { columns = [], rows = [] } = opened(result);
  const row = rows.find((cells) => cells[columns.indexOf('name')] === name);
  return row && { asks: columns.includes('asks') && row[columns.indexOf('asks')] === 'true' };
}

async function factsOf(agent: Agent, user: RecordingUser, calls: () => number): Promise<Facts> {
  const listing = opened(await agent.open('dev')).tools.find(({ name }) => name === 'result');
  const hits = await agent.call('open_toolbox', { toolbox: 'dev', query: 'result' });
  const used = outcome(await agent.use('dev', 'any', 'result', link));
  const resource = await agent.request('resources/read', { uri }).then(
    () => 'read' as const,
    () => 'not found' as const,
  );
  const usedAgain = outcome(await agent.use('dev', 'any', 'result', link));
  return {
    ...{ listed: mark(listing), found: mark(rowOf(hits, 'result')), used, resource, usedAgain },
    questions: user.asked.length,
    calls: calls(),
  };
}

describe('a tool under a rule', () => {
  const agents: [string, Flavour, () => RecordingUser][] = [
    ['a legacy agent', 'v2 legacy', () => answering('once')],
    ['a modern agent', 'v2 modern', () => answering('once')],
    ['an agent of the first SDK', 'v1', () => answering('once')],
    ['a legacy agent that cannot ask', 'v2 legacy', cannotAsk],
    ['a modern agent that cannot ask', 'v2 modern', cannotAsk],
  ];
  // Only what is asked depends on the agent.
  const table = (['deny', 'ask', 'allow', 'nothing'] as const).flatMap((rule, index) =>
    agents
      .filter((_, agent) => rule === 'ask' || agent === index)
      .map(([who, flavour, user]) => [rule, who, flavour, user] as const),
  );

  test.each(table)('%s, for %s', async (rule, who, flavour, createUser) => {
    const log = callLog();
    const user = createUser();
    const config = devToolbox({ any: { ...fixtureWith(tools, '--log', log.path), ...rules[rule] } });
    const agent = await connectAgent(flavour, { config }, user);
    const facts = await factsOf(agent, user, () => log.methods('tools/call').length);
    const withAsking = who.includes('cannot') ? refused : asked;
    expect(facts).toEqual({ deny: denied, ask: withAsking, allow: free, nothing: free }[rule]);
    await agent.close();
  });
});

describe('a person', () => {
  const connect = (flavour: Flavour, user: RecordingUser, entry: ServerEntry) =>
    connectAgent(flavour, { config: devToolbox({ any: entry }) }, user);

  test('reads which call is meant, and may allow the tool until the session ends', async () => {
    const log = callLog();
    const user = answering('session');
    const agent = await connect('v2 modern', user, {
      ...fixtureWith(['mail', 'other'], '--log', log.path),
      ask: ['*'],
    });
    expect(text(await agent.use('dev', 'any', 'mail', { to: 'a', b: 1 }))).toBe('{"to":"a","b":1}');
    expect(text(await agent.use('dev', 'any', 'mail', { to: 'b' }))).toBe('{"to":"b"}');
    expect(user.asked.map(({ params }) => params.message)).toEqual([
      'The agent wants to call mail of server any (toolbox dev) with\nto: "a"\nb: 1',
    ]);
    expect(user.asked[0]?.params.requestedSchema).toMatchObject({
      type: 'object',
      required: ['answer'],
      properties: { answer: { type: 'string', enum: ['once', 'session', 'no'] } },
    });
    await agent.use('dev', 'any', 'other', {});
    expect(user.asked).toHaveLength(2);
    expect(log.methods('tools/call').map(({ name }) => name)).toEqual(['mail', 'mail', 'other']);
    await agent.close();
  });

  test('who declines is not asked again about the same call, but about another', async () => {
    const log = callLog();
    const user = answering('no');
    const agent = await connect('v2 legacy', user, { ...fixtureWith(['mail'], '--log', log.path), ask: ['mail'] });
    const refusals = [
      await agent.use('dev', 'any', 'mail', { to: 'a', more: { x: 1, y: 2 } }),
      await agent.use('dev', 'any', 'mail', { more: { y: 2, x: 1 }, to: 'a' }),
      await agent.use('dev', 'any', 'mail', { to: 'b' }),
    ].map(text);
    expect(refusals).toEqual([
      "Tool 'mail' of server 'any' (toolbox 'dev') was not called: the user declined it. Do not repeat this call; ask the user what to do instead.",
      expect.stringContaining('declined the same call less than a minute ago, and was not asked again.'),
      expect.stringContaining('the user declined it.'),
    ]);
    expect(user.asked).toHaveLength(2);
    // Its tools were not known, so it was started for them.
    expect(log.methods('tools/call')).toEqual([]);
    await agent.close();
  });

  test('is asked before the server is started, if its tools are known', async () => {
    const log = callLog();
    const user = answering('no');
    const entry = { ...fixtureWith(['mail'], '--log', log.path), ask: ['@write'], idleTimeoutMs: 1 };
    const agent = await connect('v2 modern', user, entry);
    await agent.open('dev');
    expect(log.methods('start')).toHaveLength(1);
    expect(text(await agent.use('dev', 'any', 'mail', {}))).toContain('the user declined it');
    expect(user.asked).toHaveLength(1);
    expect(log.methods('start')).toHaveLength(1);
    await agent.close();
  });

  test('is asked about no tool that does not exist', async () => {
    const user = answering('once');
    const agent = await connect('v2 legacy', user, { ...fixtureWith(['mail']), ask: ['*'] });
    expect(text(await agent.use('dev', 'any', 'mial', {}))).toContain("Did you mean 'mail'?");
    expect(user.asked).toEqual([]);
    await agent.close();
  });

  test('is asked once for a call whose server asks as well, in any era of the server', async () => {
    for (const [flavour, ...era] of [['v2 modern'], ['v2 legacy', '--modern']] as const) {
      const log = callLog();
      const user = userWho(
        (_, { message }) =>
          message?.startsWith('The agent wants') === true
            ? { action: 'accept', content: { answer: 'once' } }
            : { action: 'accept', content: { name: 'x' } },
        form,
      );
      const entry = { ...fixtureWith(['ask_user'], '--log', log.path, ...era), ask: ['*'] };
      const agent = await connect(flavour, user, entry);
      const schema = { type: 'object', properties: { name: { type: 'string' } } };
      const question = (message: string) => ({
        q: { method: 'elicitation/create', params: { message, requestedSchema: schema } },
      });
      const rounds = [question('First?'), question('Second?')];
      const result = await agent.use('dev', 'any', 'ask_user', { rounds });
      expect(JSON.parse(text(result))).toHaveLength(2);
      expect(user.asked.map(({ params }) => params.message?.slice(0, 20))).toEqual([
        'The agent wants to c',
        '[dev/any] First?',
        '[dev/any] Second?',
      ]);
      await agent.use('dev', 'any', 'ask_user', { rounds: [] });
      expect(user.asked).toHaveLength(4);
      await agent.close();
    }
  });

  test('reads every argument on its own line, and no secret, but no other value is hidden or pushed away', async () => {
    const user = answering('no');
    const entry = { ...fixtureWith(['mail']), ask: ['mail'] };
    const token = 'tok-3f9a77c1d0';
    const agent = await connect('v2 modern', user, { ...entry, env: { API_TOKEN: token, DANGER: 'force-delete-all' } });
    const padding = 'x'.repeat(2_000);
    await agent.use('dev', 'any', 'mail', { padding, key: token, text: 'a\u202Eb\nc', mode: 'force-delete-all' });
    const [, ...lines] = (user.asked[0]?.params.message ?? '').split('\n');
    expect(lines).toEqual([
      `padding: "${'x'.repeat(198)}… (cut: 2002 characters in all)`,
      'key: "*** (value of API_TOKEN)"',
      String.raw`text: "a\u{202E}b\nc"`,
      'mode: "force-delete-all"',
    ]);
    await agent.close();
  });
});

test('a call that is cancelled takes its question back, and nothing is sent', async () => {
  const log = callLog();
  const config = devToolbox({ any: { ...fixtureWith(['mail', 'free'], '--log', log.path), ask: ['mail'] } });
  const agent = await connectRaw('legacy', config, form);
  const requestId = agent.send('mail', {});
  const question = await agent.next('elicitation/create');
  agent.workbench.notify('notifications/cancelled', { requestId });
  const withdrawn = await agent.next('notifications/cancelled');
  expect(withdrawn.params).toMatchObject({ requestId: question.id });
  // Too late.
  agent.workbench.send({ id: question.id, result: { action: 'accept', content: { answer: 'once' } } });
  await agent.use('free', {});
  expect(log.methods('tools/call').map(({ name }) => name)).toEqual(['free']);
});

test('a client that cannot ask reads which line of which file allows the call', async () => {
  const entry = { ...fixtureWith(['mail', '@odd', '*', 'a*b']), ask: ['*'], allow: ['draft'] };
  const agent = await connectAgent('v2 legacy', { config: devToolbox({ any: entry }) }, cannotAsk());
  const refusal = text(await agent.use('dev', 'any', 'mail', {}));
  expect(refusal.replace(agent.dir, 'DIR')).toBe(
    `Tool 'mail' of server 'any' (toolbox 'dev') was not called: a rule requires that a person approves it, and this client cannot ask. Only the user can allow it: "allow": ["draft","mail"] in the entry of server 'any' (toolbox 'dev') in DIR/workbench-config.json.`,
  );
  expect(text(await agent.use('dev', 'any', '@odd', {}))).toContain('"allow": ["draft","?odd"]');
  // A tool that is named like a glob does not get others allowed.
  expect(text(await agent.use('dev', 'any', '*', {}))).toContain('"allow": ["draft","?"]');
  expect(text(await agent.use('dev', 'any', 'a*b', {}))).toContain('"allow": ["draft","a?b"]');
  await agent.close();
});

describe('an edit of rules applies without a restart, at once if it does not loosen them', () => {
  const offered = ['mail', 'stats', 'result'];
  const edited = async (agent: Agent, times: number) =>
    until(() => agent.stderr().split('read again').length > times, { what: `edit ${times}` });

  test('to what is listed, found and called', async () => {
    const isEdit = (message = '') => message.startsWith('The configuration file');
    const user = userWho(
      (_, { message }) => ({ action: 'accept', content: { answer: isEdit(message) ? 'yes' : 'once' } }),
      form,
    );
    const calls = () => user.asked.filter(({ params }) => !isEdit(params.message));
    const waits = (times: number) => until(() => agent.stderr().split('1 change waits').length > times);
    const server = fixtureWith(offered);
    const agent = await connectProgram('v2 modern', { config: devToolbox({ any: server }) }, user);
    const { write } = liveConfig(agent);
    const { pid } = await statsOf(agent, 'dev', 'any');
    const listed = async () =>
      opened(await agent.open('dev')).tools.map(({ name, asks }) => `${name}${asks ? '?' : ''}`);
    expect(await listed()).toEqual(offered);

    write(devToolbox({ any: { ...server, deny: ['mail'], ask: ['res*'] } }));
    await edited(agent, 1);
    expect(await listed()).toEqual(['stats', 'result?']);
    expect(outcome(await agent.use('dev', 'any', 'mail', {}))).toBe('not found');
    await agent.use('dev', 'any', 'result', link);
    expect(calls()).toHaveLength(1);

    write({ ...devToolbox({ any: { ...server, allow: ['stats'] } }), defaults: { ask: ['@write'] } });
    await waits(1);
    expect(await listed()).toEqual(['mail?', 'stats', 'result?']);
    await agent.use('dev', 'any', 'mail', {});
    expect(calls()).toHaveLength(2);

    write(devToolbox({ any: server }));
    await waits(2);
    expect(await listed()).toEqual(offered);
    await agent.use('dev', 'any', 'mail', {});
    expect(calls()).toHaveLength(2);
    expect((await statsOf(agent, 'dev', 'any')).pid).toBe(pid);
    await agent.close();
  });

  test('to a call with an open question', async () => {
    const log = callLog();
    const server = fixtureWith(offered, '--log', log.path);
    const user = userWho(async () => {
      liveConfig(agent).write(devToolbox({ any: { ...server, deny: ['mail'] } }));
      await edited(agent, 1);
      return { action: 'accept', content: { answer: 'session' } };
    }, form);
    const config = devToolbox({ any: { ...server, ask: ['mail'] } });
    const agent: Agent = await connectProgram('v2 legacy', { config }, user);
    expect(outcome(await agent.use('dev', 'any', 'mail', {}))).toBe('not found');
    expect(user.asked).toHaveLength(1);
    expect(log.methods('tools/call')).toEqual([]);
    await agent.close();
  });

  test('to a call that waits for its turn', async () => {
    const log = callLog();
    const server = { ...fixtureWith(['ask', 'mail', 'note'], '--log', log.path), maxConcurrentCalls: 1 };
    const answered = pending<object>();
    const user = userWho(
      (_, { message }) => (message?.includes('Hold') ? answered.promise : { action: 'decline' }),
      form,
    );
    const agent = await connectProgram('v2 legacy', { config: devToolbox({ any: server }) }, user);
    const question = { message: 'Hold', requestedSchema: { type: 'object', properties: {} } };
    const holding = agent.use('dev', 'any', 'ask', { method: 'elicitation/create', params: question });
    await until(() => user.asked.length === 1);
    const waiting = [agent.use('dev', 'any', 'mail', {}), agent.use('dev', 'any', 'note', {})];
    // They have reached the workbench: it answers in order.
    await agent.call('open_toolbox', { toolbox: '*' });
    liveConfig(agent).write(devToolbox({ any: { ...server, deny: ['mail'], ask: ['note'] } }));
    await edited(agent, 1);
    answered.resolve({ action: 'accept', content: {} });
    expect(outcome(await holding)).toBe('sent');
    expect((await Promise.all(waiting)).map(outcome)).toEqual(['not found', 'refused']);
    expect(log.methods('tools/call').map(({ name }) => name)).toEqual(['ask']);
    await agent.close();
  });

  test('to resources that a tool linked to before it was denied', async () => {
    const server = fixtureWith(offered);
    const agent = await connectProgram('v2 legacy', { config: devToolbox({ any: server }) });
    await agent.use('dev', 'any', 'result', link);
    expect(await agent.readResource(uri)).toBeDefined();
    liveConfig(agent).write(devToolbox({ any: { ...server, deny: ['result'] } }));
    await edited(agent, 1);
    await expect(agent.readResource(uri)).rejects.toThrow("Resource 'memo://1' not found");
    await agent.close();
  });

  test.each([
    ['by name', ['result']],
    ['by its hints', ['@write']],
  ])('to those of a tool that an edit denies %s which also restarts its server', async (_, deny) => {
    const log = callLog();
    const agent = await connectProgram('v2 legacy', { config: devToolbox({ any: fixtureWith(offered) }) });
    await agent.use('dev', 'any', 'result', link);
    liveConfig(agent).write(devToolbox({ any: { ...fixtureWith(offered, '--log', log.path), deny } }));
    await edited(agent, 1);
    await expect(agent.readResource(uri)).rejects.toThrow("Resource 'memo://1' not found");
    expect(log.methods('resources/read')).toEqual([]);
    await agent.close();
  });
});

describe('mcp-workbench call', () => {
  const config = (log: CallLog) =>
    devToolbox({ any: { ...fixtureWith(['mail', 'draft'], '--log', log.path), ask: ['*'], allow: ['draft'] } });
  const words = ['call', 'dev', 'any', 'mail', 'to=a'];

  test('without a terminal refuses a call that a person has to approve, and says why', async () => {
    const log = callLog();
    const { code, stdout, stderr } = await runCommand(words, { config: config(log), stdin: 'y\n' });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain("Tool 'mail' of server 'any' (toolbox 'dev') was not called");
    expect(stderr).toContain('no approval was given: there is no terminal to ask on');
    expect(stderr).toContain('"allow": ["draft","mail"]');
    expect(log.methods('tools/call')).toEqual([]);
    expect((await runCommand(['call', 'dev', 'any', 'draft'], { config: config(log) })).code).toBe(0);
  });

  test.each([
    ['y\r', 0, 1],
    ['n\r', 1, 0],
    ['\r', 1, 0],
  ])('on a terminal asks, and does what was answered: %j', async (keys, code, calls) => {
    linuxOnly('terminals are made by script of util-linux');
    const log = callLog();
    const terminal = runOnTerminal(words, { config: config(log), columns: 200 });
    expect(await answerOn(terminal, keys)).toBe(code);
    expect(terminal.screen()).toContain('The agent wants to call mail of server any (toolbox dev) with');
    expect(terminal.screen()).toContain('to: "a"');
    expect(log.methods('tools/call')).toHaveLength(calls);
    if (calls === 0) expect(terminal.screen()).toContain('the user declined it');
  });
});
