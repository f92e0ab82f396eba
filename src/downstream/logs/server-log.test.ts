import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { posixOnly } from '../../../test/support/platform.js';
import { logDirectoryOf } from '../../platform/directories.js';
import { fileNameOf } from './log-names.js';
import { createServerLogs } from './server-logs.js';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'workbench-log-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe("a server's log", () => {
  test('holds what was written, with the time, for the user alone', async () => {
    posixOnly('file modes');
    const log = createServerLogs(directory).of({ toolbox: 'my box', name: '../x' });
    log.write('first');
    log.write('second');
    await log.flush();
    const file = path.join(directory, 'my%20box', '%2E%2E%2Fx.log');
    expect(readFileSync(file, 'utf8')).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z first\n\S+ second\n$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('stays bounded however much is written, and keeps the newest', async () => {
    const log = createServerLogs(directory).of({ toolbox: 't', name: 's' });
    for (let round = 0; round < 40; round++) {
      for (let i = 0; i < 100; i++) log.write(`${round} ${'x'.repeat(1_000)}`);
      await log.flush();
    }
    const files = readdirSync(path.join(directory, 't'));
    expect(files.sort()).toEqual(['s.log', 's.log.1']);
    for (const file of files) expect(statSync(path.join(directory, 't', file)).size).toBeLessThanOrEqual(1_000_000);
    expect(readFileSync(path.join(directory, 't', 's.log'), 'utf8')).toContain('Z 39 x');
  });

  test('drops and counts lines that come faster than they can be written', async () => {
    const log = createServerLogs(directory).of({ toolbox: 't', name: 's' });
    for (let i = 0; i < 1_000; i++) log.write('x'.repeat(1_000));
    await log.flush();
    expect(readFileSync(path.join(directory, 't', 's.log'), 'utf8')).toMatch(/dropped \d+ lines: they arrived faster/);
  });

  test('that cannot be written does no harm', async () => {
    posixOnly('file modes');
    const log = createServerLogs('/dev/null/nowhere').of({ toolbox: 't', name: 's' });
    log.write('x');
    await expect(log.flush()).resolves.toBeUndefined();
  });
});

test('any two names have different file names, and no file name leads elsewhere', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
      expect(fileNameOf(a)).toMatch(/^[\w%~-]*$/);
      expect(fileNameOf(a).length).toBeLessThanOrEqual(200);
      expect(fileNameOf(a) === fileNameOf(b)).toBe(a === b);
    }),
  );
  expect(fileNameOf('\uD800')).toBeDefined();
  expect(fileNameOf('x'.repeat(500))).not.toBe(fileNameOf('x'.repeat(501)));
});

test.each([
  ['linux', {}, '/home/me/.local/state/mcp-workbench/logs'],
  ['linux', { XDG_STATE_HOME: '/state' }, '/state/mcp-workbench/logs'],
  ['darwin', {}, '/home/me/Library/Logs/mcp-workbench'],
  ['win32', { LOCALAPPDATA: 'C:\\Local' }, 'C:\\Local\\mcp-workbench\\logs'],
])('logs are where %s wants them', (platform, env, expected) => {
  expect(logDirectoryOf({ platform, env, home: '/home/me' })).toBe(expected);
});
