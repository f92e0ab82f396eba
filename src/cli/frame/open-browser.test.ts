import { expect, test } from 'vitest';
import { browserCommand, hasBrowser } from './open-browser.js';

const address = 'https://login.example.com/authorize?scope=a%20b&state=%22x%22';

test.each([
  ['linux', {}, ['xdg-open', address]],
  ['darwin', {}, ['/usr/bin/open', address]],
  [
    'win32',
    { SystemRoot: 'D:\\Windows' },
    ['D:\\Windows\\System32\\rundll32.exe', 'url.dll,FileProtocolHandler', address],
  ],
])('on %s the address is one argument of a program', (platform, env, expected) => {
  expect(browserCommand(address, { platform, env })).toEqual(expected);
});

test.each(['file:///etc/passwd', 'javascript:alert(1)', '-a Calculator', 'vscode://settings', ''])(
  '%j is not opened',
  (hostile) => expect(() => browserCommand(hostile, { platform: 'linux', env: {} })).toThrow(),
);

test('characters that a shell would read are escaped in an address', () => {
  const [, href] = browserCommand('https://example.com/a b"$(id)`id`<>', { platform: 'linux', env: {} });
  expect(href).not.toMatch(/[ "`<>]/);
});

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
