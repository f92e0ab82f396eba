import { spawn } from 'node:child_process';
import { win32 } from 'node:path';
import type { Computer } from '../../platform/computer.js';
import { createRedirectFile, type RedirectFile } from './redirect-file.js';

/** Whether a browser would open where the user is: not over SSH, and not without a display. */
export function hasBrowser({ env, platform }: Pick<Computer, 'env' | 'platform'>): boolean {
  if (env['SSH_CONNECTION'] || env['SSH_CLIENT'] || env['SSH_TTY']) return false;
  return platform === 'darwin' || platform === 'win32' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
}

/** The program that opens a file in the user's browser. The path is one argument of it, and no shell reads it. */
export function browserCommand(
  path: string,
  { env, platform }: Pick<Computer, 'env' | 'platform'>,
): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['/usr/bin/open', path];
  if (platform !== 'win32') return ['xdg-open', path];
  const system = win32.join(env['SystemRoot'] ?? env['SYSTEMROOT'] ?? 'C:\\Windows', 'System32');
  return [win32.join(system, 'rundll32.exe'), 'url.dll,FileProtocolHandler', path];
}

/** A browser that is being opened. */
export interface OpeningBrowser {
  /** From now on it is not led to the address any more. */
  close(): void;
}

/** A browser may be slow to start. One in a sandbox cannot read the file, and where an editor opens such files there is none. */
const patienceMs = 10_000;

/**
 * Leads the user's browser, which outlives this program, to an address that no other user may read. `onFailure`: there is
 * none, it reports an error, or it has not come in time; it may still come.
 */
export function openBrowser(
  address: string,
  computer: Computer,
  onFailure: () => void,
  withinMs = patienceMs,
): OpeningBrowser {
  const { protocol } = new URL(address);
  // Anything else could name a file or a program.
  if (protocol !== 'https:' && protocol !== 'http:') throw new Error(`Not an address of the web: ${protocol}`);
  let file: RedirectFile | undefined;
  let isSettled = false;
  let isClosed = false;
  const settle = () => {
    clearTimeout(timer);
    isSettled = true;
  };
  const fail = () => {
    if (isSettled) return;
    settle();
    onFailure();
  };
  const timer = setTimeout(fail, withinMs).unref();

  async function open(): Promise<void> {
    file = await createRedirectFile(address, computer, settle);
    if (isClosed) return file.close();
    const [command, ...args] = browserCommand(file.path, computer);
    const child = spawn(command, args, { stdio: 'ignore', detached: true, windowsHide: true });
    child.once('error', fail);
    child.once('exit', (code) => void (code !== 0 && fail()));
    child.unref();
  }
  open().catch(fail);

  return {
    close() {
      settle();
      isClosed = true;
      file?.close();
    },
  };
}
