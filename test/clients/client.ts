import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { devToolbox } from '../support/configs.js';
import { type Launch, prepareLaunch, stopWhenTestFinishes } from '../support/launch.js';
import { fixture } from '../support/servers.js';

const programs = fileURLToPath(new URL('node_modules/.bin/', import.meta.url));

/** A client from npm, in a home of its own, with the built workbench to configure. */
export interface Client {
  /** The workbench as the client should start it. */
  readonly entry: { readonly command: string; readonly args: readonly string[] };
  /** Writes a file below the client's home. */
  readonly write: (path: string, content: object) => void;
  /** Runs the client and returns what it printed. `input` is written to its stdin line by line, each as soon as all before are answered. */
  readonly run: (args: readonly string[], input?: readonly object[]) => Promise<string>;
}

export function client(program: string): Client {
  const launch = prepareLaunch({ config: devToolbox({ any: fixture() }) });
  const home = launch.cwd;
  // Nothing that it might start stays behind.
  stopWhenTestFinishes(launch.marker, async () => {});
  return {
    entry: { command: launch.command, args: launch.args },
    write(path, content) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), JSON.stringify(content));
    },
    run: (args, input = []) => run(program, args, input, launch),
  };
}

// Away from their makers' servers: root can give them a network without a way out.
const isolated = process.platform === 'linux' && process.getuid?.() === 0 ? ['unshare', '--net'] : [];

function run(
  program: string,
  args: readonly string[],
  input: readonly object[],
  { env, cwd }: Launch,
): Promise<string> {
  const [command = '', ...rest] = [...isolated, join(programs, program), ...args];
  const quiet = {
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
  };
  const child = spawn(command, rest, { env: { ...env, ...quiet }, cwd, stdio: 'pipe' });
  const printed: string[] = [];
  let answered = 0;
  const writeNext = () => {
    const next = input[answered];
    if (next === undefined) child.stdin.end();
    else child.stdin.write(`${JSON.stringify(next)}\n`);
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed.push(text);
      if (!printed.join('').includes(`"id":${answered + 1},"result"`)) return;
      answered += 1;
      writeNext();
    });
  }
  writeNext();
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(stripVTControlCharacters(printed.join(''))));
  });
}
