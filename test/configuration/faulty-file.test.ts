import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keepLastGood, readLastGood } from '../../src/config/read/last-good.js';
import { stateDirectoryOf } from '../../src/platform/directories.js';
import { type Agent, connectAgent, opened, text } from '../support/agents.js';
import { runCommand } from '../support/commands.js';
import { devToolbox } from '../support/configs.js';
import { marked } from '../support/homes.js';
import { temporaryDirectory } from '../support/launch.js';
import { fixtureWith } from '../support/servers.js';
import { until } from '../support/until.js';
import { initialize, startWorkbench } from '../support/workbench.js';

const configText = (rules: object = {}) =>
  JSON.stringify(devToolbox({ any: { ...fixtureWith(['read', 'remove']), env: marked, ...rules } }));
/** The toolbox has lost its comma. */
const faultyText = (rules: object = {}) =>
  configText(rules).replace('"mcpServers"', '\n"mcpServers"').replace(',\n', '\n');

/** A configuration file, and the home of the user whose sessions use it. */
function setUp(content: string) {
  const home = temporaryDirectory();
  const file = join(home, 'mine.json');
  const place = { env: {}, platform: process.platform, home };
  const windows = { USERPROFILE: home, APPDATA: home, LOCALAPPDATA: home };
  const env = { HOME: home, ...(process.platform === 'win32' && windows) };
  const write = (next: string) => writeFileSync(file, next);
  write(content);
  return { file, place, write, options: { args: ['--config', file], env } };
}

const toolsOf = async (agent: Agent) => opened(await agent.open('dev')).tools.map(({ name }) => name);
const notesOf = async (agent: Agent) => opened(await agent.open('dev')).notes ?? [];

test.each([
  ['v2 legacy', false],
  ['v2 modern', true],
] as const)(
  'a session that starts with a faulty file serves its last text that loaded, says so, and takes the fix (%s, alone: %s)',
  async (era, alone) => {
    const { file, place, write, options } = setUp(faultyText({ deny: ['remove'] }));
    keepLastGood(place, file, configText());
    const agent = await connectAgent(era, { ...options, alone });
    const said = /mine\.json:2:1 .*Missing comma\..* its last text that loaded is used, of \d{4}-\d\d-\d\d \d\d:\d\d\./;
    expect(agent.instructions).toMatch(said);
    expect(agent.instructions).toContain('- dev (any): For development');
    await until(() => said.test(agent.stderr()));
    for (let count = 0; count < 2; count += 1) expect(await notesOf(agent)).toEqual([expect.stringMatching(said)]);
    // A rule of the faulty text.
    expect(await toolsOf(agent)).toEqual(['read']);
    expect((await agent.use('dev', 'any', 'remove')).isError).toBe(true);
    // The same fault is said once, another one instead of it.
    write(
      faultyText({ deny: ['remove'] })
        .replace(',"mcpServers"', '"mcpServers"')
        .replace('{', '{7'),
    );
    await until(async () => /mine\.json:1:2 .* its last text /.test((await notesOf(agent)).join()));
    expect(await notesOf(agent)).toHaveLength(1);
    expect(agent.stderr().match(/Missing comma/g)).toHaveLength(1);
    write(configText({ deny: ['remove'], callTimeoutMs: 5_000 }));
    await until(async () => (await notesOf(agent)).length === 0);
    expect(await toolsOf(agent)).toEqual(['read']);
  },
);

test.each([
  ['an earlier text', true],
  ['nothing', false],
])('a rule of a faulty file is not lifted by its fix in a session that serves %s until then', async (_, isKept) => {
  const { file, place, write, options } = setUp(faultyText({ deny: ['remove'] }));
  if (isKept) keepLastGood(place, file, configText());
  const agent = await connectAgent('v2 legacy', options);
  await agent.open('dev');
  write(configText());
  await until(async () => (await agent.use('dev', 'any', 'read')).isError !== true);
  await until(() => agent.stderr().includes('dev/any: no longer denies remove'));
  expect(await toolsOf(agent)).toEqual(['read']);
  expect(await notesOf(agent)).toEqual(['1 change waits: mcp-workbench reload']);
});

test('without an earlier text, both tools answer with the fault until the file loads', async () => {
  const { file, write, options } = setUp(faultyText());
  const agent = await connectAgent('v2 modern', options);
  expect(agent.instructions).toMatch(/mine\.json:2:1 .*Missing comma\..* there are no servers/);
  expect((await agent.listTools()).map(({ name }) => name)).toEqual(['open_toolbox', 'use_tool']);
  for (const call of [() => agent.open('dev'), () => agent.use('dev', 'any', 'read')]) {
    const result = await call();
    expect(result).toMatchObject({ isError: true, _meta: { 'mcp-workbench/code': 'CONFIG_INVALID' } });
    expect(text(result)).toContain(`${file}:2:1 config.toolboxes.dev.mcpServers: Missing comma.`);
  }
  write('{\n\n"toolboxes": 7}');
  expect(text(await agent.open('dev'))).toContain(`${file}:3:14 config.toolboxes`);
  // Nothing is waited for: the call itself reads the file.
  write(configText());
  expect((await agent.use('dev', 'any', 'read')).isError).not.toBe(true);
  expect(await notesOf(agent)).toEqual([]);
  expect(JSON.stringify(await agent.listTools())).toContain('dev (any)');
});

test('a fix that comes before the first call is noticed, and the client is notified', async () => {
  const { write, options } = setUp(faultyText());
  const workbench = startWorkbench(options);
  await initialize(workbench);
  write(configText());
  await until(() => workbench.lines.some((line) => JSON.stringify(line).includes('notifications/tools/list_changed')));
  expect(JSON.stringify(await workbench.request('tools/list'))).toContain('dev (any)');
});

test('a session keeps the text that it has loaded, and that of each edit that loads, for the next one', async () => {
  const { file, place, write, options } = setUp(configText());
  const workbench = startWorkbench(options);
  await initialize(workbench);
  await until(() => readLastGood(place, file)?.text === configText());
  write(faultyText());
  await until(() => workbench.stderr().includes('stays in use'));
  expect(readLastGood(place, file)?.text).toBe(configText());
  write(configText({ ask: ['remove'] }));
  await until(() => readLastGood(place, file)?.text === configText({ ask: ['remove'] }));
  expect(readdirSync(join(stateDirectoryOf(place), 'last-good'))).toHaveLength(1);
});

test('list names the fault and the text that sessions use until it is fixed, and has exit code 3', async () => {
  const { file, place, options } = setUp(faultyText());
  keepLastGood(place, file, configText());
  const { code, stdout, stderr } = await runCommand(['list', '--config', file], { env: options.env });
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  expect(stderr).toMatch(
    /mine\.json:2:1 .*Missing comma\..*\nUntil it is fixed, its last text that loaded is used, of \d{4}-\d\d-\d\d .*\n$/,
  );
});

test.each([
  ['--frozen', { args: ['--frozen'] }],
  ['CI', { env: { CI: 'true' } }],
])('with %s a faulty file ends the program with code 3, whatever is kept of it', async (_, given) => {
  const { file, place, options } = setUp(faultyText());
  keepLastGood(place, file, configText());
  const { args, env } = { args: [], env: {}, ...given };
  const workbench = startWorkbench({ args: [...args, ...options.args], env: { ...options.env, ...env } });
  expect(await workbench.exited).toEqual({ code: 3, signal: null });
  expect(workbench.stderr()).toContain(`${file}:2:1`);
  expect(workbench.lines).toEqual([]);
});
