import { expect } from 'vitest';
import { openTerminal } from './commands.js';
import { createHome, marked, programDirectory } from './homes.js';
import { fixture } from './servers.js';
import { until } from './until.js';

/** What is typed, with tabs, and the words that the line has then. The same in every shell. */
export const everywhere: readonly (readonly [typed: string, words: string])[] = [
  ['mcp-workbench vali\t', '<validate>'],
  ['mcp-workbench tools --off\t', '<tools><--offline>'],
  ['mcp-workbench tools my\t', '<tools><my box>'],
  ['mcp-workbench tools my\\ box oth\t', '<tools><my box><other:one>'],
  ['mcp-workbench tools my\\ box a\t get_i\t', '<tools><my box><a server><get_issue>'],
  ['mcp-workbench list -- -\t y\t', '<list><--><-x><y>'],
  ['mcp-workbench connect claude-d\t', '<connect><claude-desktop>'],
  ['mcp-workbench disconnect cur\t', '<disconnect><cursor>'],
  ['mcp-workbench move my\t a\t -- -\t', '<move><my box><a server><--><-x>'],
  ['mcp-workbench add my\t new --desc\t', '<add><my box><new><--description>'],
  ['mcp-workbench completion f\t', '<completion><fish>'],
];

/** A shell on a terminal, with completion, in a home with odd names. `load` and `show`: lines in the language of the shell. */
export async function openShell(
  commandLine: readonly string[],
  { load, show }: { readonly load: string; readonly show: string },
) {
  const server = { ...fixture('--tools', 'get_issue,put_issue'), env: marked };
  const home = createHome({
    toolboxes: new Map([
      [
        'my box',
        {
          description: 'Mine',
          mcpServers: new Map([
            ['a server', server],
            ['other:one', server],
          ]),
        },
      ],
      ['-x', { description: 'Odd', mcpServers: new Map([['y', server]]) }],
    ]),
  });
  expect((await home.run('tools', 'my box', 'a server')).code).toBe(0);
  const path = `${programDirectory()}:${process.env['PATH'] ?? ''}`;
  const env = { ...home.env, PATH: path, PS1: '> ', HISTFILE: '/dev/null' };
  const shell = openTerminal(commandLine, { env, cwd: home.directory, columns: 300 });
  shell.type(`${load}\n${show}\necho rea""dy\n`);
  await until(() => /^ready\r?$/m.test(shell.screen()), { what: 'the completion' });
  return {
    /** Types, then shows the words of the line, without the name of the program. */
    completed: async (typed: string): Promise<string> => {
      const before = shell.screen().length;
      const since = () => shell.screen().slice(before);
      // To the start of the line, where the function is put that shows its words; to the end, and run.
      shell.type(`${typed}\u0001shown \u0005\n`);
      await until(() => since().includes('<end>'), { what: `the completion of ${typed}` });
      return /(<[^\r\n]*)<end>/.exec(since())?.[1] ?? '';
    },
    end: (): Promise<number | null> => {
      shell.type('exit\n');
      return shell.exited;
    },
  };
}
