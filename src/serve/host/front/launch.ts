import { join } from 'node:path';
import { launchLimitMs } from '../limits.js';

/**
 * Starts a host and resolves when it listens, or has found another one, or has ended; with the reason if no session of this process can
 * have such a host. It is twice removed from this process: a shell in a session of its own starts it and exits. So a client that kills
 * its process tree, group or session does not end the servers of others. `shared`: the name of the socket at which it has to listen.
 */
export async function launchHost(
  env: Readonly<Record<string, string>>,
  hostName: string | undefined,
  shared: string,
): Promise<string | undefined> {
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
      shared,
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
  let isOther = false;
  const isInTime = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), launchLimitMs);
    const settle = () => {
      clearTimeout(timer);
      resolve(true);
    };
    child.once('error', settle);
    // A byte says that it listens elsewhere.
    ready
      ?.once('close', settle)
      .on('error', () => {})
      .on('data', () => (isOther = true));
  });
  ready?.destroy();
  child.unref();
  if (isOther) return 'a host that this session starts has other rights than the session';
  return isInTime ? undefined : `the host does not start within ${launchLimitMs / 1_000} s`;
}

/** The number under which the host has the pipe, as its argument. */
const readyDescriptor = '3';
