import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryDirectory } from '../../../test/support/launch.js';
import { linuxOnly } from '../../../test/support/platform.js';
import { until } from '../../../test/support/until.js';
import { openBrowser } from './open-browser.js';

linuxOnly('other systems have another program for it');

const address = 'https://login.example.com/authorize?state=a-secret-state#a-secret-key';

/** A computer whose `xdg-open` notes its arguments and ends with this code, without looking at them. */
function createComputer(exitCode = 0) {
  const dir = temporaryDirectory();
  const noted = join(dir, 'noted');
  const program = join(dir, 'xdg-open');
  writeFileSync(
    program,
    `#!/bin/sh\nprintf '%s\\n' "$@" > ${noted}.new && mv ${noted}.new ${noted}\nexit ${exitCode}\n`,
  );
  chmodSync(program, 0o755);
  vi.stubEnv('PATH', `${dir}:${process.env['PATH']}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const computer = { env: {}, cwd: dir, platform: process.platform, home: dir };
  const failures: string[] = [];
  const open = (withinMs?: number) => {
    const browser = openBrowser(address, computer, () => failures.push('failed'), withinMs);
    onTestFinished(() => browser.close());
    return browser;
  };
  const path = async () => (await until(() => existsSync(noted) && readFileSync(noted, 'utf8'))).trimEnd();
  return { dir, open, path, failures };
}

const addressIn = (file: string) => /url=([^"]+)"/.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
const visit = (url: string) => fetch(url, { redirect: 'manual' });

test('a browser gets the path of a file of the user alone, and is led to the address once', async () => {
  const { open, path, failures } = createComputer();
  open();
  const file = await path();
  expect(file.split('\n')).toHaveLength(1);
  expect([statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o777]).toEqual([0o600, 0o700]);
  expect(readFileSync(file, 'utf8')).not.toContain('a-secret');
  const url = addressIn(file);
  const answer = await visit(url);
  expect([answer.status, answer.headers.get('location')]).toEqual([302, address]);
  expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
  expect(existsSync(file)).toBe(false);
  await expect(visit(url)).rejects.toThrow();
  expect(failures).toEqual([]);
});

test('another user who asks at every path without the key of the file gets nothing, and spoils nothing', async () => {
  const { open, path } = createComputer();
  open();
  const file = await path();
  const url = addressIn(file);
  for (const other of ['/', '/x', `${new URL(url).pathname}x`, new URL(url).pathname.slice(0, -1)]) {
    const answer = await visit(new URL(other, url).href);
    expect([answer.status, answer.headers.get('location')]).toEqual([404, null]);
  }
  expect((await fetch(url, { method: 'POST', redirect: 'manual' })).status).toBe(404);
  expect((await visit(url)).status).toBe(302);
});

test('a browser that has not read the file in time is reported once, and may still come', async () => {
  const { open, path, failures } = createComputer();
  open(1);
  const file = await path();
  await until(() => failures.length > 0, { what: 'the failure' });
  expect((await visit(addressIn(file))).status).toBe(302);
  expect(failures).toEqual(['failed']);
});

test('a program that ends with an error is reported once, and the file is removed at the end', async () => {
  const { open, path, failures } = createComputer(3);
  const browser = open();
  const file = await path();
  await until(() => failures.length > 0, { what: 'the failure' });
  browser.close();
  expect(failures).toEqual(['failed']);
  expect(existsSync(file)).toBe(false);
});

test('no file is written to a directory that is a link, and the program is not started', async () => {
  const { open, failures, dir } = createComputer();
  const elsewhere = temporaryDirectory();
  mkdirSync(join(dir, '.cache'));
  symlinkSync(elsewhere, join(dir, '.cache', 'mcp-workbench'));
  open();
  await until(() => failures.length > 0, { what: 'the failure' });
  expect(readdirSync(elsewhere)).toEqual([]);
  expect(existsSync(join(dir, 'noted'))).toBe(false);
});

test('a file that a killed process has left is removed by the next one', async () => {
  const { open, path, dir } = createComputer();
  const directory = join(dir, '.cache', 'mcp-workbench', 'browser');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const [old, recent] = ['old.html', 'recent.html'].map((name) => join(directory, name)) as [string, string];
  for (const file of [old, recent]) writeFileSync(file, '');
  utimesSync(old, new Date(0), new Date(0));
  open();
  await path();
  expect([existsSync(old), existsSync(recent)]).toEqual([false, true]);
});
