import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { commands } from '../../src/cli/frame/command-line/table.js';
import { type Process, processesRunning } from './processes.js';
import { until } from './until.js';

/** For the row "alone" of `check:machines`: every session runs its servers itself. */
export const areAllAlone = process.env['WORKBENCH_TESTS_ALONE'] === '1';

let ofThisTest: string | undefined;

/**
 * The name of the host of this test, for all of its sessions and commands; names of more hosts begin with it. When the test ends, no
 * process with such a name is left.
 */
export function hostNameOfTest(): string {
  if (ofThisTest !== undefined) return ofThisTest;
  const name = `test-${randomUUID()}`;
  ofThisTest = name;
  onTestFinished(async () => {
    try {
      await endHosts();
      await expectNoneNamed(name);
    } finally {
      ofThisTest = undefined;
    }
  });
  return name;
}

/** The same command line with the name of the host, if its command takes one. */
export function withHostName(args: readonly string[]): string[] {
  if (args.includes('--host-name')) return [...args];
  const at = args.findIndex((word, index) => !word.startsWith('-') && !/^(-c|--config)$/.test(args[index - 1] ?? ''));
  if (at === -1) return ['--host-name', hostNameOfTest(), ...args];
  const options = commands.find((command) => command.name === args[at])?.options;
  if (options === undefined || !('host-name' in options)) return [...args];
  return [...args.slice(0, at + 1), '--host-name', hostNameOfTest(), ...args.slice(at + 1)];
}

/** The hosts of exactly this name. */
export function hostsNamed(name: string): Process[] {
  return hostsLike(name).filter(({ command }) => command.endsWith(` ${name}`));
}

/** The process that runs the servers of a session: the only host of this test, or the session itself if it runs alone. */
export function runnerOf({ pid }: { readonly pid: number }): number {
  const [host, ...more] = hostsNamed(hostNameOfTest());
  if (more.length > 0) throw new Error(`${more.length + 1} hosts instead of one`);
  return host?.pid ?? pid;
}

/** The same for a session that has just made its first call. */
export async function startedRunnerOf(session: { readonly pid: number }): Promise<number> {
  await until(() => areAllAlone || hostsNamed(hostNameOfTest()).length === 1, { what: 'the host' });
  return runnerOf(session);
}

/** Ends the hosts of this test and their servers, without the time for which they wait for another session. */
export async function endHosts(): Promise<void> {
  const name = ofThisTest;
  if (name === undefined) return;
  const signalled = new Set<number>();
  const areGone = () => {
    const hosts = hostsLike(name);
    for (const { pid } of hosts) {
      if (!signalled.has(pid)) signal(pid, 'SIGTERM');
      signalled.add(pid);
    }
    return hosts.length === 0;
  };
  try {
    await until(areGone, { what: 'the end of the host' });
  } finally {
    for (const { pid } of hostsLike(name)) signal(pid, 'SIGKILL');
  }
}

/**
 * The hosts whose names begin so. The shell that starts one has the same words in its command line, and for a moment so has each
 * process that a host starts.
 */
function hostsLike(name: string): Process[] {
  const found = processesRunning(` ${name}`).filter(({ command }) =>
    /^(?!\/bin\/sh ).*\bhost\.js \d+ \S* \S+$/.test(command),
  );
  const pids = new Set(found.map(({ pid }) => pid));
  return found.filter(({ parent }) => !pids.has(parent));
}

async function expectNoneNamed(name: string): Promise<void> {
  try {
    await until(() => processesRunning(name).length === 0);
  } catch {
    const left = processesRunning(name);
    for (const { pid } of left) signal(pid, 'SIGKILL');
    throw new Error(`left running:\n${left.map(({ pid, command }) => `  ${pid} ${command}`).join('\n')}`);
  }
}

/** The build of the program in dist/, which is part of the names of its hosts' sockets. */
export function builtAs(): string {
  const names = readdirSync(new URL('../../dist/', import.meta.url));
  const build = names.map((name) => /^engine-([\da-f]{8})\.js$/.exec(name)?.[1]).find((found) => found !== undefined);
  if (build === undefined) throw new Error('the program is not built');
  return build;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended already.
  }
}
