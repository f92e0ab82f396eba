import { hostname, userInfo } from 'node:os';
import { crypto, sha256 } from '../crypto.js';
import { wireNumber } from './wire-number.js';

/** What the name of a socket says about a process that may no longer answer. */
export interface SocketName {
  readonly name: string;
  readonly wire: number;
  /** Whether the process runs on this computer: home directories can be shared by several. */
  readonly isHere: boolean;
  /** Names the configuration that the process was started for; undefined for a host, which serves any. */
  readonly config: string | undefined;
  readonly pid: number;
}

const pattern = /^(\d{1,3})-([\da-f]{8})-([\da-f]{8})-(\d{1,10})-[\da-f]{8}\.sock$/;
export const longestName = 50;
const digestLength = 8;
/** A socket that does not listen yet has another name: a client would take it for a dead one. */
export const unfinishedPrefix = 'new-';

/** A name that no other process has or will have. */
export function newName(config: string | undefined): string {
  const random = crypto().randomBytes(4).toString('hex');
  return `${prefixFor()}${wireNumber}-${here()}-${configKey(config)}-${process.pid}-${random}.sock`;
}

/**
 * The name at which sessions look for a host; with a process id, the one that the host has for itself. `computer` and `identity` are
 * digests, of the computer's name, and of what a session has to have in common with the host, such as `ofBuild`.
 */
export function hostName(computer: string, ofBuild: string, identity: string, pid?: number): string {
  const place = computer.slice(0, digestLength);
  // Of the build enough to tell a few apart; the identity has the whole of it.
  return `host-${place}-${ofBuild.slice(0, 4)}${identity.slice(0, 12)}${pid === undefined ? '' : `-${pid}`}.sock`;
}

const hostPattern = /^(host-([\da-f]{8})-[\da-z]{4}[\da-f]{12})-(\d{1,10})\.sock$/;

/** The name at which sessions look for the host that has this one for itself. */
export function sharedNameOf(own: string): string | undefined {
  const [, shared] = hostPattern.exec(own) ?? [];
  return shared && `${shared}.sock`;
}

/** Whether it is not the name of another host than this one; undefined is any. */
export function isOfHost({ name, config }: SocketName, shared: string | undefined): boolean {
  return config !== undefined || shared === undefined || sharedNameOf(name) === shared;
}

export function parseName(name: string): SocketName | undefined {
  const [, , home, ofHost] = hostPattern.exec(name) ?? [];
  if (ofHost !== undefined)
    return { name, wire: wireNumber, isHere: home === here(), config: undefined, pid: Number(ofHost) };
  const prefix = prefixFor();
  const [, wire, host, config = '', pid] = (name.startsWith(prefix) && pattern.exec(name.slice(prefix.length))) || [];
  if (wire === undefined) return undefined;
  return { name, wire: Number(wire), isHere: host === here(), config, pid: Number(pid) };
}

/** The same for the same file; `undefined` is the embedded configuration. */
export function configKey(path: string | undefined): string {
  return sha256(path ?? '').slice(0, 8);
}

/** All named pipes of a Windows computer are in one list. */
function prefixFor(): string {
  return process.platform === 'win32' ? `mcp-workbench-${sha256(userInfo().username).slice(0, 8)}-` : '';
}

function here(): string {
  return sha256(hostname()).slice(0, digestLength);
}
