/** Commands that run another one in a part of the system of its own. All of them need root. */

/** With its own mounts: the lines of the script change what it sees, and no other process. */
export function withMounts(script: string): string[] {
  return ['unshare', '--mount', '--propagation', 'private', 'sh', '-ec', `${script}\nexec "$@"`, 'sh'];
}

/** With its own network, in which there is a loopback interface and nothing else. `afterwards` runs in it when the command has ended. */
export function withNetwork(afterwards = 'true'): string[] {
  return ['unshare', '--net', 'sh', '-c', `ip link set lo up || exit; "$@"; code=$?; ${afterwards}; exit $code`, 'sh'];
}

/** In the network of a running process. */
export function inNetworkOf(pid: number): string[] {
  return ['nsenter', `--net=/proc/${pid}/ns/net`];
}

const nobody = 65_534;

export function asNobody(): string[] {
  return ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
}

export const nobodyId = nobody;
