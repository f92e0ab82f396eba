import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * What a process may do apart from its environment. A server must not be run by a host with other rights or another view of the
 * computer than the session has: in a container, in another network, as another user.
 */
export function ambientAuthority(): readonly unknown[] {
  const ids = [process.getuid?.(), process.geteuid?.(), process.getgid?.(), process.getegid?.()];
  const groups = process.getgroups?.().toSorted((a, b) => a - b);
  const namespaces = ['mnt', 'net', 'pid', 'user'].map((name) => readOr(() => readlinkSync(`/proc/self/ns/${name}`)));
  const boot = readOr(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  // Servers inherit the mask of new files from the host, and its limits.
  return [ids, groups, fileMask(), namespaces, capabilities(), limits(), boot, hostname()];
}

/** What it may do beyond, or short of, what its user may: a sandbox takes it away without a namespace. */
function capabilities(): readonly string[] | undefined {
  const status = readOr(() => readFileSync('/proc/self/status', 'utf8'));
  return matches(status, /^(?:CapEff|CapBnd|NoNewPrivs|Seccomp):\s*(\w+)$/gm);
}

/** Those that it cannot raise, in the column after the others, which Node.js raises; only those that a host would soon run into. */
function limits(): readonly string[] | undefined {
  const table = readOr(() => readFileSync('/proc/self/limits', 'utf8'));
  return matches(table, /^Max (?:cpu time|data size|address space|processes|open files) +\S+ +(\S+)/gm);
}

function matches(text: string | null, pattern: RegExp): readonly string[] | undefined {
  return text === null ? undefined : Array.from(text.matchAll(pattern), ([, value = '']) => value);
}

/** It can only be read by setting it. */
function fileMask(): number {
  const mask = process.umask(0o077);
  process.umask(mask);
  return mask;
}

/** Only Linux has these. */
function readOr(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
