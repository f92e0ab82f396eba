import { spawn } from 'node:child_process';
import { win32 } from 'node:path';
import type { Computer } from '../../platform/computer.js';

/** Whether a browser would open where the user is: not over SSH, and not without a display. */
export function hasBrowser({ env, platform }: Pick<Computer, 'env' | 'platform'>): boolean {
  if (env['SSH_CONNECTION'] || env['SSH_CLIENT'] || env['SSH_TTY']) return false;
  return platform === 'darwin' || platform === 'win32' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
}

/** The program that opens the user's browser. The address is one argument of it, and no shell reads it. */
export function browserCommand(
  address: string,
  { env, platform }: Pick<Computer, 'env' | 'platform'>,
): readonly [string, ...string[]] {
  // Anything else could name a file or a program, and none of them begins with `-`.
  const { protocol, href } = new URL(address);
  if (protocol !== 'https:' && protocol !== 'http:') throw new Error(`Not an address of the web: ${protocol}`);
  if (platform === 'darwin') return ['/usr/bin/open', href];
  if (platform !== 'win32') return ['xdg-open', href];
  const system = win32.join(env['SystemRoot'] ?? env['SYSTEMROOT'] ?? 'C:\\Windows', 'System32');
  return [win32.join(system, 'rundll32.exe'), 'url.dll,FileProtocolHandler', href];
}

/** Opens the user's browser, which outlives this program. `onFailure`: there is none, or it reports an error. */
export function openBrowser(address: string, computer: Computer, onFailure: () => void): void {
  const [command, ...args] = browserCommand(address, computer);
  const child = spawn(command, args, { stdio: 'ignore', detached: true, windowsHide: true });
  child.once('error', onFailure);
  child.once('exit', (code) => void (code !== 0 && onFailure()));
  child.unref();
}
