import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { messageOf } from '../../contract/errors.js';
import { createProcessGroups, type GroupOf } from './process-groups.js';
import { markVariable } from './process-walk.js';

/**
 * Ends our servers when the workbench is killed and cannot end them itself: by `kill -9`, or because the system is out of
 * memory. One small shell serves all of them. It reads from a pipe whose other end only the workbench holds, so the pipe
 * closes when the workbench ends, whatever the cause. The groups in the shell's list then get SIGTERM, then SIGKILL. On
 * Linux so do processes that left their group: they are found by the mark in their environment.
 */
const script = `
trap '' INT TERM HUP
mark=$1
shift
groups="$*"
while read -r line; do
  case $line in
    +*) groups="$groups \${line#+}" ;;
    -*) left=; for g in $groups; do [ "$g" = "\${line#-}" ] || left="$left $g"; done; groups=$left ;;
  esac
done
strays() { for f in $(grep -lsz "^${markVariable}=$mark" /proc/[0-9]*/environ); do f=\${f#/proc/}; echo "\${f%/environ}"; done; }
alive() { for g in $groups; do kill -s 0 -- "-$g" && return 0; done; [ -n "$(strays)" ]; }
signal_all() {
  for g in $groups; do kill -s "$1" -- "-$g"; done
  for p in $(strays); do kill -s "$1" "$p"; done
}
signal_all TERM
n=0
while [ $n -lt 20 ] && alive; do sleep 0.1; n=$((n + 1)); done
signal_all KILL
`;

const firstRetryMs = 1_000;
const longestRetryMs = 60_000;

export interface Watchdog {
  /** A new mark, for the environment of one server. */
  nextMark(): string;
  /** From now on the group is ended when the workbench ends. */
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
      child = spawnShell(shellPath, mark, watched);
    } catch (error) {
      failed(messageOf(error));
      return;
    }
    shell = child;
    // A shell that could not be started emits `error` and no `exit`.
    child.once('error', (error) => failed(error.message));
    child.once('exit', (code, signal) => {
      if (performance.now() - begun < firstRetryMs) {
        failed(`it exited immediately (${signal ?? `code ${code}`})`);
        return;
      }
      // Something killed it.
      shell = undefined;
      retryMs = firstRetryMs;
      if (watched.size > 0) start();
    });
  }

  /** The start is retried by a timer, and immediately when another server has to be watched. */
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

/** It knows `groups` from its first moment on: the workbench may be killed before it has written a line. */
function spawnShell(shellPath: string, mark: string, groups: Iterable<number>): ChildProcess {
  const known = Array.from(groups, String);
  const child = spawn(shellPath, ['-c', script, 'mcp-workbench-watchdog', `${mark}.`, ...known], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' },
  });
  child.stdin?.on('error', () => {});
  // The shell must not keep the workbench alive.
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return child;
}
