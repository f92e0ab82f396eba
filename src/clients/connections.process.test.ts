import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/support/launch.js';
import { until } from '../../test/support/until.js';
import { type Connection, readConnections } from './connections.js';
import { checkStart } from './start-check.js';

const config = {
  path: '/nowhere/workbench-config.json',
  text: JSON.stringify({
    toolboxes: { dev: { description: 'For tests', mcpServers: { a: { command: 'x', args: ['${A}'] } } } },
  }),
};

/** How Cursor stands with these servers. `answer`: what the script of our entry writes. */
function cursorWith(servers: object, answer?: string): Connection {
  const home = temporaryDirectory();
  const script = join(home, 'mcp-workbench', 'dist', 'main.js');
  mkdirSync(join(home, 'mcp-workbench', 'dist'), { recursive: true });
  mkdirSync(join(home, '.cursor'));
  if (answer !== undefined) writeFileSync(script, answer);
  const workbench = { command: process.execPath, args: [script] };
  writeFileSync(join(home, '.cursor', 'mcp.json'), JSON.stringify({ mcpServers: { workbench, ...servers } }));
  const computer = { env: {}, cwd: home, platform: process.platform, home };
  const cursor = readConnections(computer, config).find(({ client }) => client.name === 'cursor');
  if (cursor === undefined) throw new Error('no cursor');
  return cursor;
}

const never = new AbortController().signal;
const serving = (name: string) => `
process.stdin.once('data', () => console.log('{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"${name}","version":"9.8.7"}}}'));
process.stdin.on('end', () => process.exit());
`;

test('a client that is connected starts the workbench, and its version is known', async () => {
  const cursor = cursorWith({}, serving('mcp-workbench'));
  expect(cursor).toMatchObject({ state: 'connected', doubled: [] });
  expect(await checkStart(cursor, process.env, never)).toEqual({
    is: 'well',
    ms: expect.any(Number),
    version: '9.8.7',
  });
});

test('what the workbench serves, too, stands twice, also if its variable is not set here', () => {
  const cursor = cursorWith(
    { same: { command: 'x', args: ['${env:A}'] }, other: { command: 'x', args: ['${env:B}'] } },
    '',
  );
  expect(cursor.doubled.map(({ name }) => name)).toEqual(['same']);
  expect(cursor.others.map(({ name }) => name)).toEqual(['same', 'other']);
});

test.each([
  ['is gone', undefined, /the script of its entry is gone/],
  ['ends at once', 'process.exit(7)', /it ended with 7 before it answered/],
  ['writes something else', 'console.log("hello"); process.stdin.resume()', /its first line is not an answer/],
])('a script that %s is a reason', async (_, script, reason) => {
  expect(await checkStart(cursorWith({}, script), process.env, never)).toEqual({
    is: 'failed',
    reason: expect.stringMatching(reason),
  });
});

test('a check that is interrupted ends what it has started', async () => {
  const interruption = new AbortController();
  const started = join(temporaryDirectory(), 'started');
  const script = `require('node:fs').writeFileSync(${JSON.stringify(started)}, String(process.pid)); setInterval(() => {}, 1e6);`;
  const check = checkStart(cursorWith({}, script), process.env, interruption.signal);
  await until(() => existsSync(started) && readFileSync(started, 'utf8') !== '');
  interruption.abort(new Error('interrupted'));
  await expect(check).rejects.toThrow('interrupted');
  expect(() => process.kill(Number(readFileSync(started, 'utf8')), 0)).toThrow('ESRCH');
});
