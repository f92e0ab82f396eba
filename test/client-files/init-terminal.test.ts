import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { answer, configOf, threeClients } from '../support/init-homes.js';
import { linuxOnly } from '../support/platform.js';
import { until } from '../support/until.js';

const write = 'Write this?';
const connect = 'Connect which clients?';
const enter = '\r';
const ctrlC = '\u0003';

describe('on a terminal', () => {
  test('two questions are answered with keys; undo takes all back', async () => {
    linuxOnly('script of util-linux');
    const home = threeClients();
    const before = home.contents();
    const terminal = home.onTerminal(['init']);
    await answer(terminal, write, enter);
    // The second client is left out.
    await answer(terminal, connect, `\u001B[B ${enter}`);
    expect(await terminal.exited).toBe(0);
    const screen = terminal.screen();
    expect(screen).toContain('◆ Connect which clients? Claude Code, VS Code');
    expect(screen).toContain('✓ Claude Code: 2 servers replaced by workbench');
    expect(screen.replaceAll(/\s+/g, ' ')).toContain(
      'Each client you choose gets one entry, workbench. Its entries for the servers above are taken out, so that they can sleep; undo puts them back.',
    );
    expect(screen).toContain('Next   restart Claude Code and VS Code, and ask: what toolboxes do I have?');
    expect(home.contents()['.cursor/mcp.json']).toBe(before['.cursor/mcp.json']);
    expect(await home.run('undo', '--yes')).toMatchObject({ code: 0 });
    expect(home.contents()).toEqual(before);
  });

  test.each([
    ['the first question', [] as const],
    ['the second question', [enter] as const],
  ])('Ctrl-C at %s changes nothing', async (_, keys) => {
    linuxOnly('script of util-linux');
    const home = threeClients();
    const before = home.contents();
    const terminal = home.onTerminal(['init']);
    for (const key of keys) await answer(terminal, write, key);
    await answer(terminal, keys.length === 0 ? write : connect, ctrlC);
    expect(await terminal.exited).toBe(130);
    expect(terminal.screen()).toContain('Nothing was changed.');
    expect(home.contents()).toEqual(before);
  });

  test('the file can be shown, secrets can stay where they are, and no means no', async () => {
    linuxOnly('script of util-linux');
    const home = threeClients();
    const shown = home.onTerminal(['init', '--connect', 'none']);
    await answer(shown, write, `s${enter}`);
    await answer(shown, '"everyday": {', `n${enter}`);
    expect(await shown.exited).toBe(1);
    expect(shown.screen()).not.toContain('ghp_');
    expect(existsSync(home.config)).toBe(false);
    const kept = home.onTerminal(['init', '--connect', 'none']);
    await answer(kept, write, `2${enter}`);
    expect(await kept.exited).toBe(0);
    expect(existsSync(home.secrets)).toBe(false);
    expect(configOf(home).toolboxes.everyday.mcpServers.github.env.GITHUB_PERSONAL_ACCESS_TOKEN).toBe(
      'ghp_0123456789abcdef',
    );
  });

  test('a terminal that cannot draw gets numbers', async () => {
    linuxOnly('script of util-linux');
    const home = threeClients();
    const terminal = home.onTerminal(['init'], ['env', 'TERM=dumb']);
    await answer(terminal, 'Number (1 to 4): ', '9\r');
    await until(() => terminal.screen().split('Number (1 to 4): ').length === 3);
    terminal.type('1\r');
    await answer(terminal, 'Numbers, all or none: ', `2\r`);
    expect(await terminal.exited).toBe(0);
    expect(terminal.screen()).toContain('✓ Cursor: 2 servers replaced by workbench');
    expect(terminal.screen()).not.toMatch(/✓ VS Code/);
  });
});
