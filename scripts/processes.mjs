import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** The descendants of a process, `{ pid, command }` each, oldest first; `undefined` on Windows. */
export function processesBelow(pid) {
  if (process.platform === 'win32') return undefined;
  const all = process.platform === 'linux' ? fromProc() : fromPs();
  const found = [];
  const parents = new Set([pid]);
  // Children have higher ids than their parents, except after a wrap-around; the second round finds those.
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
    // The name is in parentheses and may contain anything; state and parent follow the last one.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
    return state === 'Z' ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
  } catch {
    return []; // the process has ended meanwhile
  }
}

function fromPs() {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,command='], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const [, pid, parent, command] = line.match(/^\s*(\d+)\s+(\d+)\s+(.*)$/) ?? [];
    return pid ? [{ pid: Number(pid), parent: Number(parent), command }] : [];
  });
}
