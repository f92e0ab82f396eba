import { readdirSync, readFileSync } from 'node:fs';
import { until } from './until.js';

/** In the environment of the workbench, of every server it starts and of their descendants, so that all are found. */
export const markerVariable = 'WORKBENCH_TEST_MARKER';

/** Elsewhere no process is found, so that nothing is left; tests that count them are for Linux only. */
export const seesProcesses = process.platform === 'linux';

export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Of terminals and logins. */
  readonly session: number;
  /** As in /proc/PID/stat: `Z` is a zombie. */
  readonly state: string;
  readonly command: string;
}

/** Every running process with the marker. */
export function processesWith(marker: string): Process[] {
  const entry = `${markerVariable}=${marker}`;
  return pids()
    .filter((pid) => readProc(pid, 'environ').split('\0').includes(entry))
    .flatMap(describe);
}

/** The scripted servers among them. */
export function scriptedServersWith(marker: string): Process[] {
  return processesWith(marker).filter(({ command }) => command.includes('scripted-server.mjs'));
}

/** Every running process whose command line has this text. */
export function processesRunning(text: string): Process[] {
  return pids()
    .filter((pid) => commandOf(pid).includes(text))
    .flatMap(describe)
    .filter(({ command, state }) => command.includes(text) && state !== 'Z');
}

/** The direct children of a process, zombies included. */
export function childrenOf(parent: number): Process[] {
  return allProcesses().filter((process) => process.parent === parent);
}

/** Waits until no process with the marker exists. */
export async function expectNoProcessLeft(marker: string, withinMs = 30_000): Promise<void> {
  let left: Process[] = [];
  const gone = () => {
    left = processesWith(marker);
    return left.length === 0;
  };
  try {
    await until(gone, { withinMs });
  } catch {
    throw new Error(`left running:\n${left.map(({ pid, command }) => `  ${pid} ${command}`).join('\n')}`);
  }
}

export function allProcesses(): Process[] {
  return pids().flatMap(describe);
}

/** Tests look for processes many times: only the found ones are described. */
function pids(): number[] {
  if (!seesProcesses) return [];
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number);
}

function describe(pid: number): Process[] {
  const stat = readProc(pid, 'stat');
  // The name is in parentheses and may contain anything, parentheses too.
  const [state, parent, group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === undefined || parent === undefined) return [];
  const command = commandOf(pid);
  return [{ pid, parent: Number(parent), group: Number(group), session: Number(session), state, command }];
}

function commandOf(pid: number): string {
  return readProc(pid, 'cmdline').replaceAll('\0', ' ').trim();
}

/** Empty for a process that is gone or not ours. */
function readProc(pid: number, file: 'environ' | 'stat' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
