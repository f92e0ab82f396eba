import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Agent, connectAgent, opened, statsOf, text } from '../support/agents.js';
import { devToolbox, type ServerEntry, writeConfigText } from '../support/configs.js';
import { temporaryDirectory } from '../support/launch.js';
import { liveConfig } from '../support/live-config.js';
import { posixOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';

/** The same server with another entry. */
const version = (number: number): ServerEntry => ({ ...fixture(), env: { VERSION: String(number) } });

const notesOf = async (agent: Agent) => opened(await agent.open('dev')).notes ?? [];
const serversOf = async (agent: Agent) =>
  [...new Set(opened(await agent.open('dev')).tools.map(({ server }) => server))].join();

describe('what runs goes on, and it is said once, if the file', () => {
  const valid = devToolbox({ any: fixture() });

  async function runningAgent() {
    const agent = await connectAgent('v2 legacy', { config: valid });
    const { pid } = await statsOf(agent, 'dev', 'any');
    const live = liveConfig(agent);
    const said = () =>
      agent
        .stderr()
        .split('\n')
        .filter((line) => line.includes('stays in use'));
    async function expectSaid(what: string, count: number): Promise<void> {
      await until(() => said().length === count);
      expect(said().at(-1)).toContain(what);
      expect(await notesOf(agent)).toEqual([expect.stringContaining(what)]);
      expect(await notesOf(agent)).toEqual([]);
      expect((await statsOf(agent, 'dev', 'any')).pid).toBe(pid);
    }
    async function expectRecovery(): Promise<void> {
      live.write(devToolbox({ any: fixture(), other: fixture() }));
      await until(async () => (await serversOf(agent)) === 'any,other');
      expect(await notesOf(agent)).toEqual([]);
      expect((await statsOf(agent, 'dev', 'any')).pid).toBe(pid);
    }
    return { agent, ...live, expectSaid, expectRecovery };
  }

  test('is broken; another fault is said as well', async () => {
    const { file, writeText, expectSaid, expectRecovery } = await runningAgent();
    writeText('{\n "toolboxes": [] }');
    await expectSaid(`${file}:2:15`, 1);
    writeText('{\n "toolboxes": [] } // again');
    writeText('{\n "toolboxes": [] }');
    writeText('{\n "toolboxes": }');
    await expectSaid(`${file}:2:15`, 2);
    await expectRecovery();
  });

  test('is broken and has a long path: the place is not cut off', async () => {
    const dir = join(temporaryDirectory(), ...['a', 'b', 'c', 'd'].map((letter) => letter.repeat(200)));
    mkdirSync(dir, { recursive: true });
    const file = writeConfigText(dir, JSON.stringify(valid));
    const agent = await connectAgent('v2 legacy', { args: ['--config', file] });
    await until(() => agent.stderr().includes('configuration: '));
    writeConfigText(dir, '{\n "toolboxes": [] }');
    await until(() => agent.stderr().includes('stays in use'));
    expect(text(await agent.open('dev'))).toContain(`${file}:2:15`);
  });

  test('vanishes', async () => {
    const { file, expectSaid, expectRecovery } = await runningAgent();
    rmSync(file);
    await expectSaid('it does not exist', 1);
    await expectRecovery();
  });

  test('becomes a directory', async () => {
    const { file, expectSaid, expectRecovery } = await runningAgent();
    rmSync(file);
    mkdirSync(file);
    await expectSaid('it is a directory', 1);
    rmSync(file, { recursive: true });
    await expectRecovery();
  });

  test('is empty, too large, not text or cut off', async () => {
    const { writeText, expectSaid, expectRecovery } = await runningAgent();
    const contents: readonly (readonly [string, string])[] = [
      ['', 'is not valid'],
      [`${' '.repeat(11_000_000)}{"toolboxes": {}}`, 'it is larger than'],
      ['\0\0', 'it is not UTF-8 text'],
      [JSON.stringify(valid).slice(0, -5), 'is not valid'],
    ];
    for (const [index, [content, reason]] of contents.entries()) {
      writeText(content);
      await expectSaid(reason, index + 1);
    }
    await expectRecovery();
  });

  test('can be changed by others', async () => {
    posixOnly('file modes');
    const { file, write, expectSaid, expectRecovery } = await runningAgent();
    chmodSync(file, 0o666);
    write(devToolbox({ any: version(2) }));
    await expectSaid('can be written to by everyone', 1);
    chmodSync(file, 0o600);
    await expectRecovery();
  });
});

test('a file that is written in pieces is taken when it is complete, and nothing is said about the pieces', async () => {
  const agent = await connectAgent('v2 legacy', { config: devToolbox({ any: fixture() }) });
  await agent.open('dev');
  const { writeText } = liveConfig(agent);
  const whole = JSON.stringify(devToolbox({ two: { ...fixture(), env: { WORKBENCH_TEST_MARKER: agent.marker } } }));
  const begun = performance.now();
  let longestPauseMs = 0;
  for (let length = 0; length < whole.length; length += Math.ceil(whole.length / 8)) {
    const written = performance.now();
    writeText(whole.slice(0, length));
    await new Promise((resolve) => setTimeout(resolve, 60));
    longestPauseMs = Math.max(longestPauseMs, performance.now() - written);
  }
  writeText(whole);
  const isQuick = longestPauseMs < 100 && performance.now() - begun < 800;
  await until(async () => (await serversOf(agent)) === 'two');
  // On a busy machine a piece may look like the whole: after 150 ms without a change, or 1 s after the first.
  if (isQuick) expect(agent.stderr()).not.toContain('stays in use');
});
