import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { everywhere, openShell } from '../support/completing.js';
import { createHome, marked, programDirectory } from '../support/homes.js';
import { posixOnly } from '../support/platform.js';
import { fixtureWith } from '../support/servers.js';

posixOnly('pastes commands into bash');

const names = ['__proto__', '-x', "it's a ü/✓ 🧰 of $(id)", 'n'.repeat(200)];
const pathTo = (directory: string) => `${directory}:${process.env['PATH'] ?? ''}`;

test.each(names)(
  'a toolbox, a server and a tool named %j are addressed by words, and what is printed can be pasted',
  async (name) => {
    // The protocol has no longer names of tools, and a filter drops others.
    const tool = name.slice(0, 128);
    const server = {
      ...fixtureWith([{ name: tool, description: 'Any', inputSchema: { type: 'object' } }]),
      env: marked,
    };
    const home = createHome({
      toolboxes: new Map([[name, { description: 'Any', mcpServers: new Map([[name, server]]) }]]),
    });
    const bash = (line: string) =>
      spawnSync('bash', ['-c', line], {
        env: { ...home.env, PATH: pathTo(programDirectory()), WORKBENCH_TEST_MARKER: 'names' },
        encoding: 'utf8',
      });
    // As on a screen: the command that the list of a toolbox names for servers that are not measured yet.
    const [, printed = ''] =
      /(mcp-workbench doctor .*?)(?: {3}\(| *\r?\n)/.exec((await home.see(['list', '--', name], 1_000)).screen) ?? [];
    const listed = bash(printed);
    expect([listed.status, listed.stderr]).toEqual([0, expect.any(String)]);
    expect(listed.stdout).toContain('1 of 1 server is ok');
    const seen = await home.see(['tools', '--', name, name], 1_000);
    const [, one = ''] = /Next {4}(.*)\n/.exec(seen.screen) ?? [];
    const full = bash(one);
    expect([full.status, full.stdout.split('\n')[0]]).toEqual([0, `${tool}()`]);
    const { stdout } = await home.run('tools', '--json', '--', name, name, tool);
    expect(JSON.parse(stdout)).toMatchObject({ toolbox: name, server: name, tool: { name: tool } });
    const document = JSON.parse((await home.run('list', '--json')).stdout);
    expect(document.toolboxes[0]).toMatchObject({ name, servers: [{ name, tools: 1 }] });
  },
);

test('text of others cannot act on the terminal, and stays what it is when it is piped', async () => {
  const evil = '\u001B]0;owned\u0007\u001B[31mred\u009B2J\rover\u202E';
  const tool = { name: 'any', description: `Does ${evil}`, inputSchema: { type: 'object' } };
  const home = createHome({
    toolboxes: { dev: { description: `Mine ${evil}`, mcpServers: { any: { ...fixtureWith([tool]), env: marked } } } },
  });
  // oxlint-disable-next-line no-control-regex -- the controls that must not be there
  const controls = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/;
  for (const args of [
    ['list'],
    ['tools', 'dev', 'any'],
    ['tools', 'dev', 'any', 'any'],
    ['tools', '--search', 'any'],
    [],
  ]) {
    const { code, screen } = await home.see(args);
    expect([code, controls.exec(screen)]).toEqual([0, null]);
  }
  expect((await home.run('list')).stdout).toContain('\u001B]0;owned\u0007');
  const { screen } = await home.see(['list', '\u001B[31mred']);
  expect(controls.exec(screen)).toBeNull();
});

test('bash completes commands, options and names, with spaces as well', async () => {
  const { completed, end } = await openShell(['bash', '--norc', '--noprofile', '-i'], {
    load: 'bind "set bell-style none"; eval "$(mcp-workbench completion bash)"',
    show: "shown() { printf '<%s>' \"${@:2}\"; printf '<end>\\n'; }",
  });
  for (const [typed, words] of everywhere) expect(await completed(typed), typed).toBe(words);
  expect(await completed("mcp-workbench tools 'my\t a\t")).toBe('<tools><my box><a server>');
  expect(await completed('mcp-workbench tools my\\ box other:o\t')).toBe('<tools><my box><other:one>');
  expect(await end()).toBe(0);
});
