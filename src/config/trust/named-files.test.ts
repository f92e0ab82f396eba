import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/launch.js';
import { parseFile } from '../read/parse.js';
import { createFileGuard } from './file-guard.js';
import { isLedAway, namedFilesOf, readNamed, vouchFor } from './named-files.js';

/** A project with a configuration. */
function projectWith(entry: object, more: object = {}) {
  const directory = realpathSync(temporaryDirectory());
  mkdirSync(join(directory, '.git'));
  mkdirSync(join(directory, 'sub'));
  const place = { path: join(directory, 'sub', 'c.json'), env: {}, cwd: directory, home: '/nowhere' };
  const { file } = parseFile(JSON.stringify({ ...more, mcpServers: { any: entry } }), place.path);
  const write = (name: string, text: string) => writeFileSync(join(directory, 'sub', name), text);
  const named = (env: Record<string, string> = {}) => namedFilesOf(file, { ...place, env });
  return { directory, file, place, write, named, at: (name: string) => join(directory, 'sub', name) };
}

/** Whether a change of a file is a change of what is trusted. */
function changes(entry: object, name: string, before: string, after: string, more: object = {}): boolean {
  const { write, named } = projectWith(entry, more);
  write(name, before);
  const trusted = vouchFor(named(), readNamed);
  write(name, after);
  return JSON.stringify(vouchFor(named(), readNamed)) !== JSON.stringify(trusted);
}

const withEnvFile = { command: 'x', envFile: '.env' };

test('every file of the repository that a configuration names is covered, also outside of its directory', () => {
  const { named, at, directory } = projectWith(
    {
      command: 'x',
      args: ['${file:a}', '{file:b}'],
      env: { A: '${file:../c}', B: '${secret:KEY}', C: '${file:/etc/hosts}' },
      envFile: '${PROFILE:-none}.env',
    },
    { envFile: 'all.env', defaults: { envCommand: ['p', '${file:d}'] } },
  );
  const expected = [at('a'), at('all.env'), at('b'), at('d'), at('none.env'), at('secrets.env'), join(directory, 'c')];
  expect([...named().paths].toSorted()).toEqual(expected.toSorted());
  expect(named({ PROFILE: 'x' }).paths).toContain(at('x.env'));
});

test.each([
  ['a new variable', 'A=1', 'A=1\nB=2'],
  ['a variable that makes Node.js run code', 'NODE_OPTIONS=', 'NODE_OPTIONS=x'],
  ['the path of programs', 'PATH=/bin', 'PATH=/tmp'],
  ['a path', 'DATA=/a', 'DATA=/b'],
  ['an address', 'API=https://a.test', 'API=https://b.test'],
  ['an address under the name of a secret', 'AUTH_KEY=https://a.test', 'AUTH_KEY=https://b.test'],
  ['a plain word that becomes code', 'LEVEL=info', 'LEVEL=--require ./evil.cjs'],
])('in an env file, %s makes a configuration untrusted', (_, before, after) => {
  expect(changes(withEnvFile, '.env', before, after)).toBe(true);
});

test.each([
  ['a token', 'API_TOKEN=abc', 'API_TOKEN=ghp_a1B2c3D4e5F6g7H8i9J0.$x'],
  ['a number', 'PORT=1', 'PORT=2'],
  ['a word', 'LOG_LEVEL=info', 'LOG_LEVEL=debug'],
  ['the password of an address', 'DB=postgres://me:a@db.test/x', 'DB=postgres://me:b@db.test/x'],
  ['a comment', 'A=1', '# A\nA=1'],
])('in an env file, %s may change', (_, before, after) => {
  expect(changes(withEnvFile, '.env', before, after)).toBe(false);
});

test.each([
  ['command', { command: '${API_TOKEN}' }],
  ['args', { command: 'x', args: ['--token=${API_TOKEN}'] }],
  ['a script', { command: 'sh', args: ['-c', 'exec $API_TOKEN'] }],
  ['cwd', { command: 'x', cwd: '${API_TOKEN}' }],
  ['url', { url: 'https://${API_TOKEN}.test' }],
  ['the issuer of a login', { url: 'https://a.test', oauth: { issuer: 'https://${API_TOKEN}' } }],
  ['a variable that runs code', { command: 'x', env: { NODE_OPTIONS: '${API_TOKEN}' } }],
])('a token of an env file that reaches %s may not change', (_, entry) => {
  expect(changes({ ...entry, envFile: '.env' }, '.env', 'API_TOKEN=a', 'API_TOKEN=b')).toBe(true);
});

test.each([
  ['a file', '${file:f}', 'f', 'a', 'b'],
  ['a secret', '${secret:API_TOKEN}', 'secrets.env', 'API_TOKEN=a', 'API_TOKEN=b'],
  ['a token of an env file', '${API_TOKEN}', '.env', 'API_TOKEN=a', 'API_TOKEN=b'],
])('%s may not change that a script takes from a variable of another name', (_, value, name, before, after) => {
  const entry = { command: 'sh', args: ['-c', '$X'], env: { X: value, Y: 'y' }, envFile: '.env' };
  expect(changes(entry, name, before, after)).toBe(true);
  expect(changes({ ...entry, args: ['-c', '$Y'] }, name, before, after)).toBe(false);
});

test('the text of a file may change where it is a header or a variable that is data, and nowhere else', () => {
  const isChange = (entry: object) => changes(entry, 'f', 'a', 'b');
  expect(isChange({ url: 'https://a.test', headers: { Authorization: '${file:f}' } })).toBe(false);
  expect(isChange({ command: 'x', env: { API_TOKEN: '${file:f}' } })).toBe(false);
  expect(isChange({ command: 'x', env: { LD_PRELOAD: '${file:f}' } })).toBe(true);
  expect(isChange({ command: 'x', args: ['${file:f}'] })).toBe(true);
  expect(changes({ command: 'x', env: { A: '${secret:A}' } }, 'secrets.env', 'A=/a', 'A=/b')).toBe(false);
  expect(changes({ command: 'x', args: ['${secret:A}'] }, 'secrets.env', 'A=a', 'A=b')).toBe(true);
});

test('a file that appears, vanishes or becomes a link is a change, and one that leads out of the repository is seen', () => {
  const { named, write, at, directory } = projectWith({ command: 'x', env: { A: '${file:f}' } });
  const states = [vouchFor(named(), readNamed)];
  write('f', 'a');
  states.push(vouchFor(named(), readNamed));
  writeFileSync(join(directory, 'g'), 'a');
  rmSync(at('f'));
  symlinkSync(join(directory, 'g'), at('f'));
  states.push(vouchFor(named(), readNamed));
  expect(new Set(states.map((one) => one[0]?.sha256)).size).toBe(3);
  expect(isLedAway(named(), at('f'))).toBe(false);
  rmSync(at('f'));
  symlinkSync('/etc/hosts', at('f'));
  expect(isLedAway(named(), at('f'))).toBe(true);
});

test('what is not exactly as it was trusted is not used, nor an unseen file', () => {
  const { named, write, at, file, place } = projectWith(withEnvFile);
  write('.env', 'A=1');
  const guardFor = (vouched: ReturnType<typeof vouchFor>) =>
    createFileGuard(file, { ...place, platform: process.platform }, vouched);
  const guard = guardFor(vouchFor(named(), readNamed));
  expect(guard.problemOf(at('.env'), readNamed(at('.env')))).toBeUndefined();
  write('.env', 'A=1\nB=1');
  expect(guard.problemOf(at('.env'), readNamed(at('.env')))).toContain('not as it was');
  expect(guardFor([]).problemOf(at('.env'), readNamed(at('.env')))).toContain('not as it was');
  write('other', 'A=1');
  expect(guard.problemOf(at('other'), readNamed(at('other')))).toContain('not as it was');
});
