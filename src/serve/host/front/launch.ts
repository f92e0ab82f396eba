import { join } from 'node:path';
import { launchLimitMs } from '../../../limits.js';

/**
 * Starts a host and resolves when it listens, or has found another one, or has ended; false if none of it happens in time. It is twice
 * removed from this process: a shell in a session of its own starts it and exits. So a client that kills its process tree, group or
 * session does not end the servers of others.
 */
export async function launchHost(
  env: Readonly<Record<string, string>>,
  hostName: string | undefined,
): Promise<boolean> {
  // Next to this file in the bundle.
  const script = join(import.meta.dirname, 'host.js');
  // Loaded only here: a session that finds a host does without it.
  const { spawn } = process.getBuiltinModule('node:child_process');
  // A pipe says when: it is closed by the host when it is ready, and by the system if it ends before.
  const child = spawn(
    '/bin/sh',
    [
      '-c',
      '"$@" &',
      'mcp-workbench',
      process.execPath,
      script,
      readyDescriptor,
      ...(hostName === undefined ? [] : [hostName]),
    ],
    {
      detached: true,
      cwd: '/',
      env,
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    },
  );
  const ready = child.stdio[3];
  const isInTime = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), launchLimitMs);
    const settle = () => {
      clearTimeout(timer);
      resolve(true);
    };
    child.once('error', settle);
    ready?.once('close', settle).on('error', () => {});
    if (ready !== null && ready !== undefined && 'resume' in ready) ready.resume();
  });
  ready?.destroy();
  child.unref();
  return isInTime;
}

/** The number under which the host has the pipe, as its argument. */
const readyDescriptor = '3';
