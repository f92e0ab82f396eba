import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands, general } from '../../src/cli/frame/command-line/table.js';
import { createHome, programDirectory } from '../support/homes.js';
import { withHostName } from '../support/hosts.js';
import { prepareLaunch } from '../support/launch.js';
import { linuxOnly } from '../support/platform.js';
import { expectNoProcessLeft } from '../support/processes.js';

/** Commands that run until they are stopped; they have begun with the first line. */
const isEndless = (line: string) => /^mcp-workbench page\b| -f$/.test(line);

/** The same line for the host of this test: any other may be one of a user, or of a test that runs beside this one. */
function withOwnHost(line: string): string {
  return line.replace(/\bmcp-workbench(?: ([a-z]+))?(?=\s|$)/g, (_, word?: string) =>
    ['mcp-workbench', ...withHostName(word === undefined ? [] : [word])].join(' '),
  );
}

/** A line as it is pasted into a shell, in a home where nothing is installed. */
async function paste(line: string, home: string, env: Readonly<Record<string, string>>) {
  const child = spawn('bash', ['-c', isEndless(line) ? `exec ${line}` : line], { env, cwd: home, stdio: 'pipe' });
  child.stdin.end();
  const shown: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      shown.push(text);
      if (isEndless(line)) child.kill('SIGINT');
    });
  const [code, signal] = await once(child, 'close');
  const isEnded = isEndless(line) && (code === 130 || signal === 'SIGINT');
  return { line, code: isEnded ? 0 : code, shown: shown.join('') };
}

describe('the examples of --help run one after the other on a computer that has nothing yet', () => {
  test.each([...commands, general].map((command) => [command.name || 'without a command', command] as const))(
    '%s',
    async (_, { examples }) => {
      linuxOnly('bash, and the names of the program');
      const home = createHome();
      const launch = prepareLaunch({ env: home.env });
      const path = [programDirectory(), dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);
      // No browser: `page` says where the page is.
      const env = { ...launch.env, PATH: path, BROWSER: '/bin/true' };
      for (const line of examples) {
        const { code, shown } = await paste(withOwnHost(line), home.directory, env);
        expect({ line, code, shown }).toEqual({ line, code: 0, shown });
        expect(shown).not.toMatch(/Unknown option|Did you mean|See mcp-workbench/);
      }
      await expectNoProcessLeft(launch.marker);
    },
  );
});
