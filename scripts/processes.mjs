import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** The processes below one, `{ pid, command }` each, oldest first; `undefined` where the system gives no simple answer. */
export function processesBelow(pid) {
  if (process.platform === 'win32') return undefined;
  const all = process.platform === 'linux' ? fromProc() : fromPs();
  const found = [];
  const parents = new Set([pid]);
  // Children have higher numbers than their parents but for a wrap-around; the second round catches those.
  for (let round = 0; round < 2; round++) {
    for (const entry of all) {
      if (!parents.has(entry.parent) || parents.has(entry.pid)) continue;
      parents.add(entry.pid);
      found.push({ pid: entry.pid, command: entry.command });
    }
  }
  return found;
}

export function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function fromProc() {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap(readProc).sort((a, b) => a.pid - b.pid);
}

function readProc(pid) {
  try {
    // The name stands in parentheses and may hold anything; state and parent come after the last one.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
    return state === 'Z' ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
  } catch {
    return []; // it ended while we looked
  }
}

function fromPs() {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,command='], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const [, pid, parent, command] = line.match(/^\s*(\d+)\s+(\d+)\s+(.*)$/) ?? [];
    return pid ? [{ pid: Number(pid), parent: Number(parent), command }] : [];
  });
}
