import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { crypto } from '../../../platform/crypto.js';
import { readAnswers } from '../../../platform/sockets/answers.js';
import { type Rights, rightsOf } from '../authority.js';
import { proofLimitMs } from '../limits.js';
import { isShown } from '../proof.js';

/** What a session says when it has shown its proof. */
const longestLine = 1_000;

/** A fresh random word of eight characters. */
export function newNonce(): string {
  return crypto().randomBytes(6).toString('base64url');
}

/**
 * Resolves when the process at the other end of the socket has shown that it is the one it names, and that its rights are those of this
 * one: servers run with the rights of the host. Throws the reason if not. False if it is gone.
 */
export async function proveRights(socket: Socket, pid: number, nonce: string, own: Rights): Promise<boolean> {
  const answers = readAnswers(socket, longestLine);
  const { is } = await answers.next(proofLimitMs);
  answers.release();
  if (is === 'closed') return false;
  const problem =
    is === 'answer' ? rightsProblem(pid, nonce, own) : `no proof of its rights within ${proofLimitMs / 1_000} s`;
  if (problem !== undefined) throw new Error(problem);
  return true;
}

/** Why the host must not run servers for the process; undefined if it may. */
function rightsProblem(pid: number, nonce: string, own: Rights): string | undefined {
  const before = beginOf(pid);
  if (isThread(pid) || !isShown(pid, nonce)) return `the session has not shown that it is process ${pid}`;
  const rights = rightsOf(pid);
  // Another process may have got the number.
  if (before !== beginOf(pid)) return `process ${pid} has ended`;
  const names = new Set([...own.keys(), ...rights.keys()]);
  const others = [...names].filter((name) => own.get(name) !== rights.get(name));
  return others.length === 0 ? undefined : `its rights are not those of the host (${others.join(', ')})`;
}

/** When it was started; undefined where the system does not show it. */
function beginOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the process, in parentheses, can contain anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[startTime];
  } catch {
    return undefined;
  }
}

/** Threads have ids of the same kind, and names that a script in a process may choose. */
function isThread(pid: number): boolean {
  try {
    return !new RegExp(`^Tgid:\\s*${pid}$`, 'm').test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** The 22nd field, where the one after the name is the third. */
const startTime = 19;
