import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createAuthUser } from '../support/auth-user.js';
import { runCommand } from '../support/commands.js';
import { fixture } from '../support/servers.js';

describe('bad input is one line, and nothing is stored', () => {
  const user = () =>
    createAuthUser({
      toolboxes: {
        dev: {
          description: 'x',
          mcpServers: { linear: { url: 'http://127.0.0.1:9/mcp' }, files: fixture(), key: { url: '${NOWHERE}' } },
        },
        data: { description: 'x', mcpServers: { pg: fixture() } },
      },
    });

  test.each([
    [['dev', 'files'], 2, 'files is started as a program; it has no login.'],
    [['dve', 'linear'], 2, "No toolbox 'dve'. Did you mean 'dev'? There are: dev, data"],
    [['dev', 'liner'], 2, "No server 'liner' in toolbox 'dev'. Did you mean 'linear'? There are: linear, files, key"],
    [
      ['pg'],
      2,
      "No toolbox 'pg'. A server of that name is in toolbox 'data': mcp-workbench auth data pg --config FILE",
    ],
    [
      ['data', 'linear'],
      2,
      "No server 'linear' in toolbox 'data'. Toolbox 'dev' has one of that name: mcp-workbench auth dev linear --config FILE",
    ],
    [['dev'], 2, "Which server of toolbox 'dev'? There are: linear, files, key"],
    [['--logout'], 2, '--logout needs TOOLBOX and SERVER.'],
    [['--logout', '--no-browser', 'dev', 'linear'], 2, '--logout and --no-browser exclude each other.'],
    [['--logout', 'dev', 'files'], 2, 'files is started as a program; it has no login.'],
    [['dev', 'linear'], 2, 'Run it in a terminal: a login needs a person.'],
    [['--no-browser', 'dev', 'linear'], 2, 'Run it in a terminal: a login needs a person.'],
    [['--', '-x', 'linear'], 2, "No toolbox '-x'. There are: dev, data"],
  ])('%j', async (words, code, line) => {
    const someone = user();
    const expected = `${line.replace('FILE', someone.config)}\n`;
    expect(await someone.run(...words)).toEqual({ code, stdout: '', stderr: expected });
    expect(someone.stored()).toEqual(new Map());
  });

  test('a server with a variable that is not set gives the reason', async () => {
    const { code, stderr } = await user().run('dev', 'key');
    expect([code, stderr.trimEnd().split('\n').length]).toEqual([4, 1]);
    expect(stderr).toContain('NOWHERE');
  });

  test('with --json it is a document', async () => {
    const { code, stdout, stderr } = await user().run('dev', 'files', '--json');
    expect([code, stderr]).toEqual([2, '']);
    expect(JSON.parse(stdout)).toMatchObject({ version: 1, error: { code: 'USAGE' } });
  });

  test('a configuration that is invalid, missing or not there yet is reported', async () => {
    const someone = user();
    writeFileSync(someone.config, '{"toolboxes":{"dev":{}}}');
    expect(await someone.run('dev', 'linear')).toMatchObject({ code: 3, stdout: '' });
    const { env } = someone;
    expect(await runCommand(['auth', '--config', 'nowhere.json'], { env })).toMatchObject({ code: 3, stdout: '' });
    const none = await runCommand(['auth'], { env });
    expect(none).toMatchObject({ code: 0, stdout: expect.stringContaining('no configuration yet'), stderr: '' });
  });
});
