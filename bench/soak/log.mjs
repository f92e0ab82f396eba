import { readFileSync } from 'node:fs';

/** What the servers logged: processes, how often each call was executed, and which calls were cancelled. */
export function readServerLog(file) {
  const processes = new Map();
  const executions = new Map();
  const cancelled = new Set();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line === '') continue;
    const entry = JSON.parse(line);
    if (entry.started !== undefined) processes.set(entry.pid, entry.started);
    if (entry.executed !== undefined) executions.set(entry.executed, (executions.get(entry.executed) ?? 0) + 1);
    if (entry.cancelled !== undefined) cancelled.add(entry.cancelled);
  }
  return { processes, executions, cancelled };
}
