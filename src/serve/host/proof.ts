import { lstatSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { stateDirectoryOf } from '../../platform/directories.js';
import { directoryProblem } from '../../platform/own-directory.js';

// How a process shows to another one that it is the process it says it is: by something that only it can do with a word of the other's
// choice. The word is no secret.

/** A name of a file as well. */
const nonce = /^[\w-]{8}$/;

/**
 * Shows it. Returns what takes that back. Throws if it is not possible. On Linux it is the name of the process, which no other one can
 * change; elsewhere a file where only this user can write, and no sandbox that limits writing.
 */
export function showProof(word: string, directory = proofDirectory()): () => void {
  if (!nonce.test(word)) throw new Error('not what a host asks for');
  return directory === undefined ? renameProcess(word) : writeFile(word, directory);
}

/** Whether the process has shown it. `directory`: as above. */
export function isShown(pid: number, word: string, directory = proofDirectory()): boolean {
  try {
    return directory === undefined ? nameOf(pid) === word : takeFile(word, directory);
  } catch {
    return false;
  }
}

/** Undefined on Linux. Nothing in the environment decides it. */
function proofDirectory(): string | undefined {
  if (process.platform === 'linux') return undefined;
  return stateDirectoryOf({ env: {}, platform: process.platform, home: userInfo().homedir });
}

function nameOf(pid: number | 'self'): string {
  return readFileSync(nameFile(pid), 'utf8').slice(0, -1);
}

/** Only threads of the process can write it. */
function nameFile(pid: number | 'self'): string {
  return `/proc/${pid}/comm`;
}

function renameProcess(word: string): () => void {
  const before = nameOf('self');
  writeFileSync(nameFile('self'), word);
  return () => writeFileSync(nameFile('self'), before);
}

function writeFile(word: string, directory: string): () => void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = fileOf(word, directory);
  writeFileSync(file, word, { flag: 'wx', mode: 0o600 });
  return () => {
    try {
      unlinkSync(file);
    } catch {
      // The host has removed it.
    }
  };
}

/** It counts once. */
function takeFile(word: string, directory: string): boolean {
  if (directoryProblem(directory, process.platform) !== undefined) return false;
  const file = fileOf(word, directory);
  const stats = lstatSync(file);
  const isWritten = stats.isFile() && stats.uid === process.geteuid?.() && readFileSync(file, 'utf8') === word;
  unlinkSync(file);
  return isWritten;
}

function fileOf(word: string, directory: string): string {
  return join(directory, `session-${word}`);
}
