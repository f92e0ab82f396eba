import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * What a process may do apart from its environment. A server must not be run by a host with other rights or another view of the
 * computer than the session has: in a container, in another network, as another user.
 */
export function ambientAuthority(): readonly unknown[] {
  const ids = [process.getuid?.(), process.geteuid?.(), process.getgid?.(), process.getegid?.()];
  const groups = process.getgroups?.().toSorted((a, b) => a - b);
  const boot = readOr(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  // Servers inherit the mask of new files from the host, and its limits.
  return [ids, groups, fileMask(), [...rightsOf('self')], boot, hostname()];
}

/** By name. Null: the system does not show it. */
export type Rights = ReadonlyMap<string, string | null>;

/** The rights of a process as the system shows them, to the process itself and to another one alike. Only Linux does. */
export function rightsOf(pid: number | 'self'): Rights {
  const at = (file: string) => `/proc/${pid}/${file}`;
  const read = (file: string) => readOr(() => readFileSync(at(file), 'utf8'));
  // The label of AppArmor, SELinux or the like ends with a line end or a NUL.
  const label = read('attr/current')?.replace(/[\0\n]+$/, '') ?? null;
  return new Map([
    ...matches(
      read('status'),
      /^(Uid|Gid|Groups|Umask|CapEff|CapBnd|NoNewPrivs|Seccomp|Seccomp_filters):[ \t]*(.*)$/gm,
    ),
    // Of limits those that a process cannot raise, in the column after the others, which Node.js raises; only those that a host would
    // soon run into.
    ...matches(read('limits'), /^(Max (?:cpu time|data size|address space|processes|open files)) +\S+ +(\S+)/gm),
    ...namespaces.map((name) => [`namespace ${name}`, readOr(() => readlinkSync(at(`ns/${name}`)))] as const),
    ['security label', label],
    ['root directory', readOr(() => rootOf(at('root')))],
  ]);
}

/** Of a process in a chroot it is another one. The path is as seen from here; something else may be mounted there since. */
function rootOf(link: string): string {
  const { dev, ino } = statSync(link);
  return `${readlinkSync(link)} ${dev}:${ino}`;
}

const namespaces = ['mnt', 'net', 'pid', 'user', 'uts'];

function matches(text: string | null, pattern: RegExp): (readonly [string, string])[] {
  return Array.from(text?.matchAll(pattern) ?? [], ([, name = '', value = '']) => [name, value.trim()]);
}

/** It can only be read by setting it. */
function fileMask(): number {
  const mask = process.umask(0o077);
  process.umask(mask);
  return mask;
}

function readOr(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
