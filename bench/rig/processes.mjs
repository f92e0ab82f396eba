// Reads /proc: Linux only.
import { readdirSync, readFileSync } from 'node:fs';

export function residentMiB(pid) {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(read(pid, 'status'))?.[1];
  return Number(kilobytes ?? Number.NaN) / 1024;
}

/** CPU time of all threads so far, from the scheduler's nanoseconds; NaN if there is no such process. */
export function cpuMs(pid) {
  if (pid === undefined) return Number.NaN;
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => sum + Number(read(pid, `task/${thread}/schedstat`).split(' ')[0]), 0) / 1e6;
}

export function descriptorCount(pid) {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Every process whose environment holds `entry`, e.g. `NAME=value`. */
export function processesWith(entry) {
  return allPids().filter((pid) => read(pid, 'environ').split('\0').includes(entry));
}

/** Every process whose command line has this text. */
export function processesRunning(text) {
  return allPids().filter((pid) => commandOf(pid).includes(text));
}

/** A process and all its descendants. */
export function treeOf(root) {
  const tree = [root];
  for (const pid of tree) tree.push(...childrenOf(pid));
  return tree;
}

/** Memory, in which pages that processes have in common count once. */
export function proportionalMiB(pids) {
  const kilobytes = pids.map((pid) => Number(/^Pss:\s+(\d+) kB$/m.exec(read(pid, 'smaps_rollup'))?.[1] ?? 0));
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024;
}

export function childrenOf(parent) {
  return allPids().filter((pid) => Number(statusOf(pid)[1]) === parent);
}

/** False for a zombie. */
export function isRunning(pid) {
  return !['', 'Z'].includes(statusOf(pid)[0]);
}

/** State, parent and more; an empty state for a process that is gone. */
function statusOf(pid) {
  const stat = read(pid, 'stat');
  // The name is in parentheses and may contain anything, parentheses too.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

export function commandOf(pid) {
  return read(pid, 'cmdline').replaceAll('\0', ' ').trim();
}

/** True for a zombie too. */
export function exists(pid) {
  return read(pid, 'stat') !== '';
}

function allPids() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** Empty for a process that is gone or not ours. */
function read(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
