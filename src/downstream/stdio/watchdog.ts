import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { messageOf } from '../../contract/errors.js';
import { createProcessGroups, type GroupOf } from './process-groups.js';
import { markVariable } from './process-walk.js';

/**
 * Ends our servers when we die without being able to: by `kill -9`, or for want of memory. One small shell serves all
 * of them. It holds the reading end of a pipe whose other end only we have, so the end of the pipe is our end,
 * whatever the cause. The groups in its list get SIGTERM, then SIGKILL. On Linux so do processes that left their group:
 * they are found by the mark in their environment.
 */
const script = `
trap '' INT TERM HUP
mark=$1
groups=
while read -r line; do
  case $line in
    +*) groups="$groups \${line#+}" ;;
    -*) left=; for g in $groups; do [ "$g" = "\${line#-}" ] || left="$left $g"; done; groups=$left ;;
  esac
done
strays() { for f in $(grep -lsz "^${markVariable}=$mark" /proc/[0-9]*/environ); do f=\${f#/proc/}; echo "\${f%/environ}"; done; }
alive() { for g in $groups; do kill -s 0 -- "-$g" && return 0; done; [ -n "$(strays)" ]; }
tell() {
  for g in $groups; do kill -s "$1" -- "-$g"; done
  for p in $(strays); do kill -s "$1" "$p"; done
}
tell TERM
n=0
while [ $n -lt 20 ] && alive; do sleep 0.1; n=$((n + 1)); done
tell KILL
`;

const firstRetryMs = 1_000;
const longestRetryMs = 60_000;

export interface Watchdog {
  /** A mark for one more server, to be put into its environment. */
  nextMark(): string;
  /** From now on the group is ended with us. */
  watch(group: number): void;
  /** The group is gone; its number may be reused. */
  forget(group: number): void;
  readonly groupOf: GroupOf;
}

export function createWatchdog(
  platform: string,
  onProblem: (message: string) => void,
  shellPath = '/bin/sh',
): Watchdog {
  const mark = `${process.pid}-${process.hrtime.bigint().toString(36)}-${Date.now().toString(36)}`;
  const watched = new Set<number>();
  let shell: ChildProcess | undefined;
  let retry: NodeJS.Timeout | undefined;
  let retryMs = firstRetryMs;
  let hasWarned = false;
  let marks = 0;

  function start(): void {
    // Windows has no process groups; there a forced kill of the workbench leaves its servers running.
    if (platform === 'win32' || shell !== undefined) return;
    clearTimeout(retry);
    const begun = performance.now();
    let child: ChildProcess;
    try {
      child = spawnShell(shellPath, mark);
    } catch (error) {
      failed(messageOf(error));
      return;
    }
    shell = child;
    // If it could not be started there is an error and no exit.
    child.once('error', (error) => failed(error.message));
    child.once('exit', (code, signal) => {
      if (performance.now() - begun < firstRetryMs) {
        failed(`it ended at once (${signal ?? `code ${code}`})`);
        return;
      }
      // Something killed it.
      shell = undefined;
      retryMs = firstRetryMs;
      if (watched.size > 0) start();
    });
    for (const group of watched) child.stdin?.write(`+${group}\n`);
  }

  /** Retried by a timer, and at once when another server has to be watched. */
  function failed(reason: string): void {
    shell = undefined;
    if (!hasWarned) onProblem(`the watchdog did not start, servers may outlive a kill -9: ${reason}`);
    hasWarned = true;
    if (watched.size === 0) return;
    retry = setTimeout(start, retryMs).unref();
    retryMs = Math.min(2 * retryMs, longestRetryMs);
  }

  return {
    nextMark: () => `${mark}.${++marks}`,
    watch(group) {
      watched.add(group);
      if (shell === undefined) start();
      else shell.stdin?.write(`+${group}\n`);
    },
    forget(group) {
      watched.delete(group);
      shell?.stdin?.write(`-${group}\n`);
    },
    groupOf: createProcessGroups(platform),
  };
}

function spawnShell(shellPath: string, mark: string): ChildProcess {
  const child = spawn(shellPath, ['-c', script, 'mcp-workbench-watchdog', `${mark}.`], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' },
  });
  child.stdin?.on('error', () => {});
  // It must not keep us alive: it is there for our end.
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return child;
}
