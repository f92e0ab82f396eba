// @module-tag slow
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createWatchdog } from '../../src/downstream/stdio/watchdog.js';
import { temporaryDirectory } from '../support/launch.js';
import { linuxOnly } from '../support/platform.js';
import { childrenOf } from '../support/processes.js';
import { bundleProgram } from '../support/program.js';
import { until } from '../support/until.js';

linuxOnly('signals, processes in /proc');

/** Uses the watchdog as the workbench does, one JSON command per line. Unlike a test, it can be killed. */
const program = `
  import { spawn } from 'node:child_process';
  import { createInterface } from 'node:readline';
  import { markVariable } from './downstream/stdio/process-walk.js';
  import { createWatchdog } from './downstream/stdio/watchdog.js';
  const problems = [];
  const watchdog = createWatchdog(process.argv[2], (problem) => problems.push(problem), process.argv[3]);
  const commands = {
    start({ script, isMarked = false, isWatched = true }) {
      const mark = isMarked ? { [markVariable]: watchdog.nextMark() } : {};
      const { pid } = spawn('sh', ['-c', script], { detached: true, stdio: 'ignore', env: { ...process.env, ...mark } });
      if (isWatched) watchdog.watch(pid);
      return pid;
    },
    forget: ({ pid }) => watchdog.forget(pid),
    problems: () => problems,
    end: () => setImmediate(() => process.exit(0)),
  };
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { command, ...given } = JSON.parse(line);
    console.log(JSON.stringify(commands[command](given) ?? null));
  });
`;

let code = '';
beforeAll(async () => {
  code = await bundleProgram(program);
});

interface StartOptions {
  readonly isMarked?: boolean;
  readonly isWatched?: boolean;
}

function startProgram(platform = 'linux', shellPath = '/bin/sh') {
  const file = join(temporaryDirectory(), 'program.mjs');
  writeFileSync(file, code);
  const child = spawn(process.execPath, [file, platform, shellPath], { stdio: ['pipe', 'pipe', 'inherit'] });
  const answers: unknown[] = [];
  const started: number[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => answers.push(JSON.parse(line)));
  onTestFinished(() => {
    for (const pid of [child.pid ?? 0, ...started]) killQuietly(pid);
  });

  async function order(command: string, given: object = {}): Promise<unknown> {
    const count = answers.length;
    child.stdin.write(`${JSON.stringify({ command, ...given })}\n`);
    return until(() => answers.length > count && (answers[count] ?? 'nothing'));
  }

  return {
    pid: child.pid ?? 0,
    order,
    async start(script: string, options: StartOptions = {}): Promise<number> {
      const pid = Number(await order('start', { script, ...options }));
      started.push(pid);
      return pid;
    },
    die: () => void child.kill('SIGKILL'),
    shells: () => childrenOf(child.pid ?? 0).filter(({ command }) => command.includes('mcp-workbench-watchdog')),
  };
}

function killQuietly(pid: number): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  }
}

const isThere = (pid: number) => existsSync(`/proc/${pid}`);
const gone = (...pids: number[]) => until(() => !pids.some(isThere), { withinMs: 15_000 });
/** A file that a script creates once it is ready. */
const flagFile = () => join(temporaryDirectory(), 'a flag');

describe('the watchdog', () => {
  test('is one shell for all groups, and none before the first', async () => {
    const workbench = startProgram();
    await workbench.start('exec sleep 3600', { isWatched: false });
    expect(workbench.shells()).toHaveLength(0);
    await workbench.start('exec sleep 3600');
    await workbench.start('exec sleep 3600');
    expect(workbench.shells()).toHaveLength(1);
  });

  test('sends SIGTERM to the groups of a killed workbench, and gives them time to end', async () => {
    const workbench = startProgram();
    const [ready, tidied] = [flagFile(), flagFile()];
    const tidy = await workbench.start(
      `trap 'sleep 0.5; touch "${tidied}"; exit' TERM; touch "${ready}"; while :; do sleep 0.1; done`,
    );
    await until(() => existsSync(ready));
    workbench.die();
    await gone(tidy);
    expect(existsSync(tidied)).toBe(true);
  });

  test('kills groups that ignore SIGTERM, 2 s later', async () => {
    const workbench = startProgram();
    const ready = flagFile();
    const stubborn = await workbench.start(`trap '' TERM INT HUP; touch "${ready}"; while :; do sleep 0.1; done`);
    await until(() => existsSync(ready));
    const [shell] = workbench.shells();
    const begun = performance.now();
    workbench.die();
    await gone(stubborn, shell?.pid ?? 0);
    expect(performance.now() - begun).toBeGreaterThan(1_500);
  });

  test('finds processes that left their group by their mark', async () => {
    const workbench = startProgram();
    const ready = flagFile();
    const leader = await workbench.start(`setsid sh -c 'echo $$ > "${ready}"; exec sleep 3600' & wait`, {
      isMarked: true,
    });
    const stray = Number(await until(() => existsSync(ready) && readNumber(ready)));
    workbench.die();
    await gone(leader, stray);
  });

  test('does not touch groups that were forgotten, or were never ours', async () => {
    const workbench = startProgram();
    const forgotten = await workbench.start('exec sleep 3600');
    const watched = await workbench.start('exec sleep 3600');
    const stranger = await workbench.start('exec sleep 3600', { isWatched: false });
    await workbench.order('forget', { pid: forgotten });
    const [shell] = workbench.shells();
    workbench.die();
    await gone(watched, shell?.pid ?? 0);
    expect([isThere(forgotten), isThere(stranger)]).toEqual([true, true]);
  });

  test('ignores signals, and ends with the workbench in an orderly end too', async () => {
    const workbench = startProgram();
    const group = await workbench.start('exec sleep 3600');
    const [shell] = workbench.shells();
    const pid = shell?.pid ?? 0;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal);
    const another = await workbench.start('exec sleep 3600');
    expect(workbench.shells().map((process) => process.pid)).toEqual([pid]);
    await workbench.order('end');
    await gone(group, another, pid);
  });

  test('does nothing where there are no process groups', async () => {
    const workbench = startProgram('win32');
    await workbench.start('exec sleep 3600');
    expect(workbench.shells()).toHaveLength(0);
  });

  test('is restarted when it is killed, and the new one ends the groups of the first', async () => {
    const workbench = startProgram();
    const group = await workbench.start('exec sleep 3600');
    const [first] = workbench.shells();
    process.kill(first?.pid ?? 0, 'SIGKILL');
    const [second] = await until(() => {
      const shells = workbench.shells().filter(({ pid, state }) => pid !== first?.pid && state !== 'Z');
      return shells.length === 1 && shells;
    });
    workbench.die();
    await gone(group, second?.pid ?? 0);
  });

  test('that could not be started is retried with the next server, with one warning', async () => {
    const shell = join(temporaryDirectory(), 'a shell');
    const workbench = startProgram('linux', shell);
    const groups = [await workbench.start('exec sleep 3600'), await workbench.start('exec sleep 3600')];
    expect(workbench.shells()).toHaveLength(0);
    symlinkSync('/bin/sh', shell);
    groups.push(await workbench.start('exec sleep 3600'));
    await until(() => workbench.shells().length === 1);
    expect(await workbench.order('problems')).toEqual([
      `the watchdog did not start, servers may outlive a kill -9: spawn ${shell} ENOENT`,
    ]);
    workbench.die();
    await gone(...groups);
  });

  test('that could not be started is retried without a further server too', async () => {
    const shell = join(temporaryDirectory(), 'a shell');
    const workbench = startProgram('linux', shell);
    const group = await workbench.start('exec sleep 3600');
    expect(await workbench.order('problems')).toHaveLength(1);
    symlinkSync('/bin/sh', shell);
    await until(() => workbench.shells().length === 1);
    workbench.die();
    await gone(group);
  });

  test('that exits right after its start is retried with pauses, not in a loop', async () => {
    const runs = flagFile();
    const shell = join(temporaryDirectory(), 'a shell');
    writeFileSync(shell, `#!/bin/sh\necho >> "${runs}"; exit 7\n`, { mode: 0o755 });
    const workbench = startProgram('linux', shell);
    await workbench.start('exec sleep 3600');
    const count = () => (existsSync(runs) ? readFileSync(runs, 'utf8').length : 0);
    // One immediately, one after 1 s, one after 2 s more.
    const begun = performance.now();
    await until(() => count() === 3);
    expect(performance.now() - begun).toBeGreaterThan(2_500);
    expect(await workbench.order('problems')).toEqual([expect.stringContaining('it exited immediately (code 7)')]);
  });

  test('gives every server a mark of its own', () => {
    const watchdog = createWatchdog('linux', () => {});
    const marks = Array.from({ length: 20 }, () => watchdog.nextMark());
    expect(new Set(marks).size).toBe(20);
    // Also different from a workbench that had the same process id before.
    expect(createWatchdog('linux', () => {}).nextMark()).not.toBe(marks[0]);
  });
});

function readNumber(file: string): string | undefined {
  const content = readFileSync(file, 'utf8').trim();
  return content === '' ? undefined : content;
}
