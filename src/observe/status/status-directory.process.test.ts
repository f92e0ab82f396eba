import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/launch.js';
import { posixOnly, rootOnly } from '../../../test/support/platform.js';
import { bundleProgram } from '../../../test/support/program.js';
import { listSessions } from '../../inspect/list-sessions.js';
import { silentLog } from '../../platform/log.js';
import { socketDirectory } from '../../platform/sockets/socket-directory.js';
import { newName } from '../../platform/sockets/socket-names.js';
import { serveStatus } from './serve-status.js';

posixOnly('named pipes have no directory of their own');

let directory: string;
let warnings: string[];
beforeEach(() => {
  directory = join(temporaryDirectory(), 'run');
  warnings = [];
});

const log = { ...silentLog, warn: (text: string) => void warnings.push(text) };
const session = { id: 'session-1', principal: 'local', config: '/a/workbench-config.json', since: 1_000 };

function serve(): void {
  const status = serveStatus({ cwd: '/a', directory }, log);
  onTestFinished(() => status.close());
  void status.take(session, { is: 'began', at: 1_000 });
}

describe('a directory that others can use', () => {
  afterEach(() => {
    expect(warnings).toEqual([expect.stringContaining('other commands cannot see this session')]);
  });

  const refused = async (problem: string) => {
    serve();
    expect(warnings[0]).toContain(problem);
    const seen: string[] = [];
    expect(await listSessions({ directory, warn: (text) => seen.push(text) })).toEqual([]);
    expect(seen).toEqual([expect.stringContaining(problem)]);
  };

  test('is not used if its mode is wrong', async () => {
    mkdirSync(directory, { mode: 0o755 });
    chmodSync(directory, 0o755);
    await refused('is open to other users');
    expect(readdirSync(directory)).toEqual([]);
  });

  test('is not used if it belongs to another user', async () => {
    rootOnly('gives a directory away');
    mkdirSync(directory, { mode: 0o700 });
    chownSync(directory, 12_345, 12_345);
    await refused('belongs to another user');
    expect(readdirSync(directory)).toEqual([]);
  });

  test('is not used if it is a link, or a file', async () => {
    mkdirSync(`${directory}-elsewhere`, { mode: 0o700 });
    symlinkSync(`${directory}-elsewhere`, directory);
    await refused('is a symbolic link');
    expect(readdirSync(`${directory}-elsewhere`)).toEqual([]);
  });
});

describe('what others have left', () => {
  const dead = 1_000_000_000;
  const deadName = (pid = dead, host = 'here') => {
    const name = newName('/a').replace(/-\d+-([\da-f]+)\.sock$/, `-${pid}-$1.sock`);
    return host === 'here' ? name : name.replace(/^1-[\da-f]{8}/, '1-00000000');
  };

  /** A process that is killed while it listens. */
  async function leave(name: string): Promise<void> {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const code = `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
    await once(spawn(process.execPath, ['-e', code, join(directory, name)]), 'close');
  }

  test('is removed if it has no listener, except on another computer; live sockets and other files stay', async () => {
    serve();
    const live = readdirSync(directory);
    const elsewhere = deadName(dead, 'elsewhere');
    // Its socket is refused, but its process is there: on macOS that is a process with too many waiting clients.
    const busy = deadName(process.pid);
    for (const name of [deadName(), deadName(), elsewhere, busy]) await leave(name);
    writeFileSync(join(directory, deadName(7)), 'not a socket');
    writeFileSync(join(directory, 'notes.txt'), '');
    expect(readdirSync(directory)).toHaveLength(7);
    expect(await listSessions({ directory })).toMatchObject([{ is: 'known', pid: process.pid }]);
    const left = readdirSync(directory);
    expect(left).toEqual(expect.arrayContaining([...live, elsewhere, busy, 'notes.txt']));
    expect(left).toHaveLength(5);
  });

  test('is removed as well if its process was killed before it listened', async () => {
    serve();
    for (const age of [0, 120]) {
      const name = `new-${deadName()}`;
      await leave(name);
      utimesSync(join(directory, name), Date.now() / 1_000 - age, Date.now() / 1_000 - age);
    }
    await listSessions({ directory });
    expect(readdirSync(directory).filter((name) => name.startsWith('new-'))).toHaveLength(1);
  });

  test('is shown as silent if it accepts and does not answer, and as foreign if it answers something else', async () => {
    serve();
    const answers = [
      '',
      'hello\n',
      '{"workbench":2}\n',
      '{"workbench":1,"status":{"pid":"x"}}\n',
      'x'.repeat(5_000_000),
    ];
    for (const [index, answer] of answers.entries()) {
      const server = createServer((socket) => void socket.on('error', () => {}).write(answer));
      server.listen(join(directory, deadName(index + 1)));
      await once(server, 'listening');
      onTestFinished(() => void server.close());
    }
    const found = await listSessions({ directory });
    expect(found.map(({ is }) => is)).toEqual(['silent', 'foreign', 'foreign', 'foreign', expect.any(String), 'known']);
    expect(readdirSync(directory)).toHaveLength(6);
  });
});

test('many processes that open sockets and look for others at once never remove a live one', async () => {
  const program = join(temporaryDirectory(), 'program.mjs');
  const code = `
    import { serveStatus } from './observe/status/serve-status.js';
    import { listSessions } from './inspect/list-sessions.js';
    const directory = process.argv[2];
    const log = { info() {}, warn() {}, error() {} };
    for (let round = 0; round < 20; round++) {
      await listSessions({ directory });
      const status = serveStatus({ cwd: '/', directory }, log);
      status.take({ id: 'session-1', principal: 'local', config: undefined, since: 0 }, { is: 'began', at: 0 });
      const found = await listSessions({ directory });
      if (!found.some(({ pid }) => pid === process.pid)) process.exit(1);
      if (round < 19 || process.argv[3] === 'end') status.close();
    }
    process.kill(process.pid, process.argv[3] === 'end' ? 'SIGTERM' : 'SIGKILL');
  `;
  writeFileSync(program, await bundleProgram(code));
  const ends = await Promise.all(
    ['end', 'kill', 'end', 'kill'].map((how) => once(spawn(process.execPath, [program, directory, how]), 'close')),
  );
  expect(ends.map(([, signal]) => signal)).toEqual(['SIGTERM', 'SIGKILL', 'SIGTERM', 'SIGKILL']);
  expect(await listSessions({ directory })).toEqual([]);
  expect(readdirSync(directory)).toEqual([]);
});

test('the directory does not depend on the environment', async () => {
  const program = join(temporaryDirectory(), 'program.mjs');
  writeFileSync(
    program,
    await bundleProgram(
      `import { socketDirectory } from './platform/sockets/socket-directory.js'; process.stdout.write(socketDirectory());`,
    ),
  );
  const child = spawn(process.execPath, [program], {
    env: { HOME: '/elsewhere', XDG_RUNTIME_DIR: '/x' },
    stdio: 'pipe',
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await once(child, 'close');
  expect(text).toBe(socketDirectory());
  expect(hostname()).not.toBe('');
  expect(existsSync('/elsewhere')).toBe(false);
});
