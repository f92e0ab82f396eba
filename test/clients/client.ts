import { execFile, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify, stripVTControlCharacters } from 'node:util';
import { devToolbox } from '../support/configs.js';
import { type Launch, prepareLaunch, stopWhenTestFinishes } from '../support/launch.js';
import { processesWith } from '../support/processes.js';
import { fixture } from '../support/servers.js';

const packages = fileURLToPath(new URL('node_modules/', import.meta.url));

/** A client from npm, in a home of its own, with `mcp-workbench` in its PATH. */
export interface Client {
  /** Its home directory. */
  readonly path: string;
  /** Writes a file below the client's home. */
  readonly write: (path: string, content: string | object) => void;
  /** Runs the client and returns what it printed. `input` is written to its stdin line by line, each as soon as all before are answered. */
  readonly run: (args: readonly string[], input?: readonly object[]) => Promise<string>;
  readonly read: (path: string) => string;
  /** Runs a command of the built workbench in the same home, with the configuration of the test. Fails if it fails. */
  readonly workbench: (...args: string[]) => Promise<string>;
  /** The server of that configuration, as an entry. */
  readonly served: () => {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
  /** The methods of the messages that it has sent to the workbench. */
  readonly sent: () => string[];
}

export function client(program: string, env: Readonly<Record<string, string>> = {}): Client {
  const launch = prepareLaunch({ config: devToolbox({ any: fixture() }), env });
  const home = launch.cwd;
  const entry = JSON.parse(readFileSync(join(launch.dir, 'workbench-config.json'), 'utf8')).toolboxes.dev.mcpServers
    .any;
  const log = join(launch.dir, 'sent.jsonl');
  // Nothing that it might start stays behind, but for its own processes in the background.
  stopWhenTestFinishes(launch.marker, async () => {
    const own = processesWith(launch.marker).filter(({ command }) => command.startsWith(packages));
    for (const { pid } of own) process.kill(pid);
  });
  const PATH = [installWorkbench(launch, log), launch.env['PATH']].join(delimiter);
  return {
    path: home,
    write(path, content) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), typeof content === 'string' ? content : JSON.stringify(content));
    },
    run: (args, input = []) => run(program, args, input, { ...launch, env: { ...launch.env, PATH } }),
    read: (path) => readFileSync(join(home, path), 'utf8'),
    async workbench(...args) {
      const [script = '', , config = ''] = launch.args;
      const options = { env: { ...launch.env, WORKBENCH_CONFIG: config }, cwd: home };
      return (await promisify(execFile)(launch.command, [script, ...args], options)).stdout;
    },
    served: () => entry,
    sent: () =>
      (existsSync(log) ? readFileSync(log, 'utf8') : '')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => String(JSON.parse(line).method)),
  };
}

/** A command `mcp-workbench` that also records what it is sent: not every client says whether it has connected. */
function installWorkbench({ command, args, dir }: Launch, log: string): string {
  const bin = join(dir, 'bin');
  mkdirSync(bin);
  const quoted = [command, ...args].map((word) => `'${word}'`).join(' ');
  writeFileSync(join(bin, 'mcp-workbench'), `#!/bin/sh\ntee -a '${log}' | ${quoted} "$@"\n`);
  chmodSync(join(bin, 'mcp-workbench'), 0o755);
  return bin;
}

// Away from their makers' servers: root can give them a network without a way out.
const isolated = process.platform === 'linux' && process.getuid?.() === 0 ? ['unshare', '--net'] : [];

function run(
  program: string,
  args: readonly string[],
  input: readonly object[],
  { env, cwd }: Launch,
): Promise<string> {
  const [command = '', ...rest] = [...isolated, join(packages, '.bin', program), ...args];
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
