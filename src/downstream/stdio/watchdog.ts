import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';

/** Every process that we start carries this variable; what it starts inherits it. */
export const markVariable = 'MCP_WORKBENCH_CHILD';

/**
 * Ends our servers when we die without being able to: by `kill -9`, or for want of memory. One small shell serves all
 * of them. It holds the reading end of a pipe whose other end only we have, so the end of the pipe is our end,
 * whatever the cause. Groups in its list are told to go, and then made to. On Linux it also looks for processes that
 * left their group, by the mark in their environment.
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

export interface Watchdog {
  /** A mark for one more server, to be put into its environment. */
  nextMark(): string;
  /** From now on the group is ended with us. */
  watch(group: number): void;
  /** The group is gone; its number may be given to somebody else's. */
  forget(group: number): void;
}

export function createWatchdog(platform: string, onProblem: (message: string) => void): Watchdog {
  const mark = `${process.pid}-${process.hrtime.bigint().toString(36)}-${Date.now().toString(36)}`;
  const watched = new Set<number>();
  let shell: ChildProcess | undefined;
  let marks = 0;

  function start(): ChildProcess {
    const child = spawn('/bin/sh', ['-c', script, 'mcp-workbench-watchdog', `${mark}.`], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' },
    });
    child.on('error', (error) =>
      onProblem(`the watchdog did not start, servers may outlive a kill -9: ${error.message}`),
    );
    child.stdin?.on('error', () => {});
    // Somebody ended it. The next one is told all over again.
    child.once('exit', () => {
      shell = undefined;
      if (watched.size > 0) tell();
    });
    // It must not keep us alive: it lives for our end.
    child.unref();
    if (child.stdin instanceof Socket) child.stdin.unref();
    return child;
  }

  function tell(line = ''): void {
    // Windows has no process groups; there a forced kill of the workbench leaves its servers to themselves.
    if (platform === 'win32') return;
    if (shell !== undefined) {
      shell.stdin?.write(`${line}\n`);
      return;
    }
    shell = start();
    for (const group of watched) shell.stdin?.write(`+${group}\n`);
  }

  return {
    nextMark: () => `${mark}.${++marks}`,
    watch(group) {
      watched.add(group);
      tell(`+${group}`);
    },
    forget(group) {
      watched.delete(group);
      tell(`-${group}`);
    },
  };
}
