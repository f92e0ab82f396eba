import { expect, test } from 'vitest';
import { browserCommand, hasBrowser, openBrowser } from './open-browser.js';

const path = '/home/me/.cache/mcp-workbench/browser/1 2.html';

test.each([
  ['linux', {}, ['xdg-open', path]],
  ['darwin', {}, ['/usr/bin/open', path]],
  [
    'win32',
    { SystemRoot: 'D:\\Windows' },
    ['D:\\Windows\\System32\\rundll32.exe', 'url.dll,FileProtocolHandler', path],
  ],
])('on %s the path is one argument of a program', (platform, env, expected) => {
  expect(browserCommand(path, { platform, env })).toEqual(expected);
});

test.each(['file:///etc/passwd', 'javascript:alert(1)', '-a Calculator', 'vscode://settings', ''])(
  '%j is not opened',
  (hostile) => {
    const computer = { env: {}, cwd: '/', platform: process.platform, home: '/nowhere' };
    expect(() => openBrowser(hostile, computer, () => {})).toThrow();
  },
);

test.each([
  ['linux', { DISPLAY: ':0' }, true],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, true],
  ['linux', { DISPLAY: '' }, false],
  ['linux', {}, false],
  ['linux', { DISPLAY: 'localhost:10.0', SSH_CONNECTION: '10.0.0.1 5000 10.0.0.2 22' }, false],
  ['darwin', {}, true],
  ['darwin', { SSH_TTY: '/dev/ttys001' }, false],
  ['win32', {}, true],
])('on %s with %j there is a browser: %j', (platform, env, expected) => {
  expect(hasBrowser({ platform, env })).toBe(expected);
});
