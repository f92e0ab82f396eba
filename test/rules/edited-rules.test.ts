// @module-tag hostile
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Agent, connectAgent, opened, text } from '../support/agents.js';
import { answerOn, runCommand, runOnTerminal } from '../support/commands.js';
import { devToolbox, type ServerEntry, type TestConfig, toJson, withMarker, writeConfig } from '../support/configs.js';
import { userWho } from '../support/forwarding.js';
import { temporaryDirectory } from '../support/launch.js';
import { linuxOnly, posixOnly } from '../support/platform.js';
import { fixtureWith, real } from '../support/servers.js';
import { until } from '../support/until.js';

const waits = '1 change waits: mcp-workbench reload';
const form = { elicitation: { form: {} } };
const ruled = (more: object): ServerEntry => ({ ...fixtureWith(['look', 'drop', 'mail']), ...more });
const strict = ruled({ deny: ['drop'], ask: ['mail'] });
/** With a server that writes any file, as many people have one. */
const withFiles = (entry: ServerEntry, more: Record<string, ServerEntry> = {}): TestConfig =>
  devToolbox({ files: real.filesystem(realpathSync(tmpdir())), any: entry, ...more });

const fileOf = (agent: Agent) => join(realpathSync(agent.dir), 'workbench-config.json');
const homeOf = (agent: Agent) => ({ HOME: join(agent.dir, 'home') });
const asText = (config: TestConfig, agent: Agent) => toJson(withMarker(config, agent.marker));
const notesOf = async (agent: Agent) => opened(await agent.open('dev')).notes ?? [];
const calls = async (agent: Agent, tool: string, server = 'any') =>
  text(await agent.use('dev', server, tool, { to: 'a' }));
const called = '{"to":"a"}';

/** The agent edits the configuration of its own session, with a tool. */
async function attack(agent: Agent, config: TestConfig): Promise<void> {
  const content = asText(config, agent);
  expect(text(await agent.use('dev', 'files', 'write_file', { path: fileOf(agent), content }))).toContain('Success');
}

const isWaiting = (agent: Agent, count = 1) => until(() => agent.stderr().split(waits).length > count);

test('an agent that edits the file gets no looser rules in its session, but a person at a terminal gives them', async () => {
  linuxOnly('terminals are made by script of util-linux');
  const agent = await connectAgent('v2 legacy', { config: withFiles(strict) });
  expect(await calls(agent, 'drop')).toContain("Tool 'drop' not found");
  await attack(agent, withFiles(ruled({})));
  await isWaiting(agent);
  expect(agent.stderr()).toContain('dev/any: no longer denies drop; no longer asks about mail');
  expect(await calls(agent, 'drop')).toContain("Tool 'drop' not found");
  expect(await calls(agent, 'mail')).toContain('this client cannot ask');
  expect(await notesOf(agent)).toContain(waits);
  expect(await notesOf(agent)).toContain(waits);
  const list = () => runCommand(['list', '--config', fileOf(agent)], { env: homeOf(agent) });
  expect((await list()).stdout).toContain(waits);

  const piped = await runCommand(['reload'], { env: homeOf(agent), stdin: 'y\n' });
  expect(piped).toMatchObject({ code: 2, stdout: expect.stringContaining('no longer denies drop') });
  expect(await calls(agent, 'drop')).toContain('not found');

  const terminal = runOnTerminal(['reload'], { env: homeOf(agent), columns: 200 });
  expect(await answerOn(terminal, 'y\r')).toBe(0);
  expect(terminal.screen()).toContain('dev/any: no longer denies drop; no longer asks about mail');
  expect(await calls(agent, 'drop')).toBe(called);
  expect(await calls(agent, 'mail')).toBe(called);
  expect(await notesOf(agent)).not.toContain(waits);
  expect((await list()).stdout).not.toContain('waits');
});

test('rules that were taken away still hold without a host, what tightens holds at once, and a new session takes the file as it is', async () => {
  const agent = await connectAgent('v2 legacy', { config: withFiles(strict), alone: true });
  await attack(agent, withFiles(ruled({ deny: ['look'] })));
  await isWaiting(agent);
  expect(await calls(agent, 'drop')).toContain('not found');
  expect(await calls(agent, 'look')).toContain('not found');
  const another = await connectAgent('v2 legacy', {
    args: ['--config', fileOf(agent)],
    env: homeOf(agent),
    alone: true,
  });
  expect(await calls(another, 'drop')).toBe(called);
  expect(await notesOf(another)).not.toContain(waits);
});

test('a person is asked with the next call, and a no keeps the rules', async () => {
  const answers = ['no', 'yes'];
  const user = userWho(() => ({ action: 'accept', content: { answer: answers.shift() ?? 'no' } }), form);
  const agent = await connectAgent('v2 modern', { config: withFiles(strict) }, user);
  await attack(agent, withFiles(ruled({ ask: ['mail'] })));
  await isWaiting(agent);
  expect(await calls(agent, 'drop')).toContain('not found');
  expect(user.asked.map(({ params }) => params.message)).toEqual([
    expect.stringContaining('Apply this to it?\ndev/any: no longer denies drop'),
  ]);
  expect(await calls(agent, 'drop')).toContain('not found');
  expect(user.asked).toHaveLength(1);
  // What was declined is not asked about again because something else has changed.
  await attack(agent, withFiles(ruled({ ask: ['mail'], callTimeoutMs: 5_000 })));
  await isWaiting(agent, 2);
  expect(await calls(agent, 'drop')).toContain('not found');
  expect(user.asked).toHaveLength(1);
  await attack(agent, withFiles(ruled({})));
  await isWaiting(agent, 3);
  expect(await calls(agent, 'drop')).toBe(called);
  expect(user.asked).toHaveLength(2);
});

test('a new program is started after a yes where the client can ask', async () => {
  const user = userWho(() => ({ action: 'accept', content: { answer: 'yes' } }), form);
  const agent = await connectAgent('v2 legacy', { config: withFiles(strict) }, user);
  await attack(agent, withFiles(strict, { evil: fixtureWith(['look']) }));
  await isWaiting(agent);
  expect(JSON.stringify(await agent.listTools())).not.toContain('evil');
  expect(await calls(agent, 'look', 'evil')).toBe(called);
  expect(user.asked).toHaveLength(1);
  expect(user.asked[0]?.params.message).toMatch(/^dev\/evil: .*; new server; program: \S+node /m);
});

test('a new program is started with a note to the agent where the client cannot ask', async () => {
  const agent = await connectAgent('v2 legacy', { config: withFiles(ruled({})) });
  await attack(agent, withFiles(ruled({}), { more: fixtureWith(['look']) }));
  await until(() => agent.stderr().includes('applied without a question'));
  expect(await calls(agent, 'look', 'more')).toBe(called);
  expect(await notesOf(agent)).toEqual([expect.stringContaining('dev/more: new server; program; variable ')]);
});

test('a program does not lose its rules under another name and with other variables, nor in two steps', async () => {
  const agent = await connectAgent('v2 legacy', { config: withFiles(strict) });
  const { command = '', args = [], env } = ruled({});
  const again = { command, args: ['--no-warnings', ...args], env: { ...env, EXTRA: 'variable' } };
  await attack(agent, withFiles({ command: process.execPath, args: ['--version'] }));
  await until(() => agent.stderr().includes('applied without a question'));
  await attack(agent, withFiles({ command: process.execPath, args: ['--version'] }, { again }));
  await until(() => agent.stderr().includes('dev/again: compared with dev/any, which is like it'));
  expect(await calls(agent, 'look', 'again')).toBe(called);
  expect(await calls(agent, 'drop', 'again')).toContain("Tool 'drop' not found");
  expect(await calls(agent, 'mail', 'again')).toContain('this client cannot ask');
});

test('what a command of ours writes applies at once, and counts only once', async () => {
  const user = userWho(() => ({ action: 'decline' }), form);
  const agent = await connectAgent(
    'v2 legacy',
    { config: withFiles(strict, { off: { ...strict, disabled: true } }) },
    user,
  );
  await calls(agent, 'look');
  const enabled = await runCommand(['enable', 'dev', 'off', '--config', fileOf(agent)], { env: homeOf(agent) });
  expect(enabled.code).toBe(0);
  await until(() => agent.stderr().includes('read again'));
  expect(await calls(agent, 'look', 'off')).toBe(called);
  const written = withFiles(strict, { off: strict });
  writeFileSync(fileOf(agent), asText(withFiles(ruled({ deny: ['*'], ask: ['mail'] }), { off: strict }), agent));
  await until(async () => (await calls(agent, 'look')).includes('not found'));
  expect(user.asked).toEqual([]);
  // The agent brings back what the command wrote: that was agreed to, but not now.
  await attack(agent, written);
  await isWaiting(agent);
  expect(await calls(agent, 'look')).toContain('not found');
});

test('a command of ours does not agree to what the agent has written before it', async () => {
  const off = { ...strict, disabled: true };
  const agent = await connectAgent('v2 legacy', { config: withFiles(strict, { off }) });
  await calls(agent, 'look');
  await attack(agent, withFiles(ruled({}), { off }));
  await isWaiting(agent);
  const run = await runCommand(['enable', 'dev', 'off', '--config', fileOf(agent)], { env: homeOf(agent) });
  expect(run.code).toBe(0);
  // What loosens no rule applies.
  await until(async () => (await calls(agent, 'look', 'off')) === called);
  expect(await calls(agent, 'drop')).toContain("Tool 'drop' not found");
  expect(await notesOf(agent)).toContain(waits);
});

test('an agent that edits a trusted file and forges its trust gets nothing of it in its session', async () => {
  posixOnly('where the state directory is');
  const directory = realpathSync(temporaryDirectory());
  const [home, elsewhere] = [join(directory, 'home'), join(directory, 'elsewhere')];
  for (const one of [home, elsewhere]) mkdirSync(one);
  const file = writeConfig(directory, withFiles(strict));
  const trust = (HOME: string) => runCommand(['trust', file, '--yes'], { env: { HOME } });
  expect((await trust(home)).code).toBe(0);
  const agent = await connectAgent('v2 legacy', { cwd: directory, env: { HOME: home } });
  const writes = (path: string, content: string) => agent.use('dev', 'files', 'write_file', { path, content });
  await writes(file, toJson(withFiles(ruled({}))));
  await trust(elsewhere);
  const kept = '.local/state/mcp-workbench/trust.json';
  await writes(join(home, kept), readFileSync(join(elsewhere, kept), 'utf8'));
  await isWaiting(agent);
  expect(await calls(agent, 'drop')).toContain('not found');
  expect((await trust(home)).code).toBe(0);
  await until(async () => (await calls(agent, 'drop')) === called);
});
