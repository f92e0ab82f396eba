import { readFileSync } from 'node:fs';
import { WorkbenchError } from '../../contract/errors.js';
import { isOwnGroup } from '../../platform/own-group.js';
import { shellQuote } from '../../text/shell-quote.js';
import type { Suspect } from './config-file.js';
import type { Access } from './text-file.js';

export interface User {
  readonly uid: number;
  readonly gid: number;
  readonly platform: string;
}

/** What is wrong with the access to a file or directory, and the command that corrects it. */
export interface AccessProblem {
  readonly what: string;
  readonly remedy: string;
}

/**
 * Throws if users other than this one and root can change the configuration file: they could run programs as this user.
 * Where `chmod` has no effect it is only a warning.
 */
export function requireSafeAccess(suspects: readonly Suspect[], warn: (message: string) => void): void {
  const user = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0, platform: process.platform };
  for (const { path, access } of suspects) {
    const problem = accessProblem(path, access, user);
    if (problem === undefined) continue;
    const text = `${path} ${problem.what}, and who can change it can run programs as you.`;
    if (!hasModes(access.dev, mountsOf(user.platform))) {
      warn(`${text} Its file system has no modes, so chmod cannot change that; move the file to one that has.`);
      continue;
    }
    throw new WorkbenchError('CONFIG_UNSAFE', `The configuration is not used: ${text} Run: ${problem.remedy}`);
  }
}

/** The same for a file that is data, as the rest of a sentence about it; undefined where `chmod` has no effect. */
export function unsafeAccess(path: string, access: Access): string | undefined {
  const uid = process.geteuid?.();
  if (uid === undefined) return undefined;
  const user = { uid, gid: process.getegid?.() ?? 0, platform: process.platform };
  const problem = accessProblem(path, access, user);
  return problem === undefined || !hasModes(access.dev, mountsOf(user.platform)) ? undefined : problem.what;
}

const sticky = 0o1000;
const directoryType = 0o040_000;
const typeMask = 0o170_000;

export function accessProblem(path: string, access: Access, user: User): AccessProblem | undefined {
  const { uid, gid, mode } = access;
  if (uid !== user.uid && uid !== 0) {
    return { what: `belongs to another user (${uid})`, remedy: `chown ${user.uid} ${shellQuote(path)}` };
  }
  // In a directory such as /tmp, users cannot replace each other's files.
  if ((mode & typeMask) === directoryType && (mode & sticky) !== 0) return undefined;
  const byGroup = (mode & 0o020) !== 0 && !isOwnGroup(gid, user);
  const byAll = (mode & 0o002) !== 0;
  if (!byGroup && !byAll) return undefined;
  const who = byAll ? 'everyone' : `group ${gid}`;
  const flags = `${byGroup ? 'g' : ''}${byAll ? 'o' : ''}-w`;
  return { what: `can be written to by ${who}`, remedy: `chmod ${flags} ${shellQuote(path)}` };
}

/** File systems on which `chmod` has no effect, unless they are mounted with one of these options. */
const withoutModes: Readonly<Record<string, RegExp>> = {
  drvfs: /\bmetadata\b/,
  vfat: /$^/,
  msdos: /$^/,
  exfat: /$^/,
  ntfs: /\bpermissions\b/,
  fuseblk: /\bpermissions\b/,
  cifs: /\b(?:unix|cifsacl|modefromsid)\b/,
  ntfs3: /$^/,
  vboxsf: /$^/,
  prl_fs: /$^/,
  virtiofs: /$^/,
  'fuse.vmhgfs-fuse': /$^/,
  smb3: /\b(?:posix|cifsacl|modefromsid)\b/,
};

/** Whether the file system with this device number has modes that can be changed. `mounts`: the text of Linux' mountinfo. */
export function hasModes(dev: number, mounts: string): boolean {
  const device = `${(dev >>> 8) & 0xfff}:${(dev & 0xff) | ((dev >>> 12) & 0xfff00)}`;
  const line = mounts.split('\n').find((one) => one.split(' ')[2] === device);
  const [type = '', , options = ''] = line?.split(' - ')[1]?.split(' ') ?? [];
  // WSL 2 mounts the drives of Windows by 9p; any other 9p has modes.
  const named = type === '9p' && options.includes('aname=drvfs') ? 'drvfs' : type;
  return withoutModes[named]?.test(options) ?? true;
}

function mountsOf(platform: string): string {
  try {
    return platform === 'linux' ? readFileSync('/proc/self/mountinfo', 'utf8') : '';
  } catch {
    return '';
  }
}
