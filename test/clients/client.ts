import { execFile, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify, stripVTControlCharacters } from 'node:util';
import { shellQuote } from '../../src/text/shell-quote.js';
import { devToolbox } from '../support/configs.js';
import { prepareLaunch, stopWhenTestFinishes } from '../support/launch.js';
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
  endClientsWhenTestFinishes(launch.marker);
  // Not every client says whether it has connected.
  const recorded = `tee -a ${shellQuote(log)} | ${[launch.command, ...launch.args].map(shellQuote).join(' ')} "$@"`;
  const PATH = [installWorkbench(launch.dir, recorded), launch.env['PATH']].join(delimiter);
  return {
    path: home,
    write(path, content) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), typeof content === 'string' ? content : JSON.stringify(content));
    },
    run: (args, input = []) => runClient(program, args, { input, cwd: home, env: { ...launch.env, PATH } }),
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

/** When the test ends, nothing that clients have started may be left, but for their own processes in the background. */
export function endClientsWhenTestFinishes(marker: string): void {
  stopWhenTestFinishes(marker, async () => {
    const own = processesWith(marker).filter(({ command }) => command.startsWith(packages));
    for (const { pid } of own) process.kill(pid);
  });
}

/** Writes a command `mcp-workbench` that is this line of shell, and returns its directory. */
export function installWorkbench(dir: string, line: string): string {
  const bin = join(dir, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'mcp-workbench'), `#!/bin/sh\n${line}\n`);
  chmodSync(join(bin, 'mcp-workbench'), 0o755);
  return bin;
}

/** Root can give clients a network without a way out, away from their makers' servers. */
export const isolates = process.platform === 'linux' && process.getuid?.() === 0;

const secondInterruptMs = 2_000;

interface ClientRun {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly input?: readonly object[];
  /** A command that runs the client in a network that other clients are in, too. */
  readonly through?: readonly string[];
  /** When this resolves, Ctrl-C is typed, twice if the first one does not end it. */
  readonly interrupted?: Promise<unknown> | undefined;
}

/** Runs a client to its end and returns what it printed. */
export function runClient(program: string, args: readonly string[], options: ClientRun): Promise<string> {
  const { env, cwd, input = [], through = isolates ? ['unshare', '--net'] : [], interrupted } = options;
  const [command = '', ...rest] = [...through, join(packages, '.bin', program), ...args];
  const quiet = {
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
  };
  // A terminal interrupts all processes of a group: some clients consist of two.
  const detached = interrupted !== undefined;
  const child = spawn(command, rest, { env: { ...env, ...quiet }, cwd, stdio: 'pipe', detached });
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
  const interrupt = () => {
    const isOver = child.exitCode !== null || child.signalCode !== null;
    if (child.pid !== undefined && !isOver) process.kill(-child.pid, 'SIGINT');
  };
  void interrupted?.then(() => {
    interrupt();
    setTimeout(interrupt, secondInterruptMs).unref();
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(stripVTControlCharacters(printed.join(''))));
  });
}
