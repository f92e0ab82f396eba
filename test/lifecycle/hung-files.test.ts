import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { devToolbox } from '../support/configs.js';
import { linuxOnly, posixOnly } from '../support/platform.js';
import { expectNoProcessLeft } from '../support/processes.js';
import { fixture } from '../support/servers.js';
import { hostOf, shareSessions } from '../support/shared.js';
import { startHostWith } from '../support/started-host.js';
import { until } from '../support/until.js';
import { initialize, type RunningWorkbench, startWorkbench } from '../support/workbench.js';

posixOnly('mkfifo, signals');

const blocker = new URL('../fixtures/block-files.mjs', import.meta.url);
const config = devToolbox({ any: fixture('--ignore-eof') });

/** The variables of a process whose file operations can be blocked. */
function blockable(): Record<string, string> {
  const fifo = join(mkdtempSync(join(tmpdir(), 'mcp-workbench-fifo-')), 'fifo');
  execFileSync('/bin/sh', ['-c', 'mkfifo "$1"', 'mkfifo', fifo]);
  return { UV_THREADPOOL_SIZE: '1', BLOCK_FILES_WITH: fifo };
}

/** Calls before and after file operations are blocked. */
async function expectServed(workbench: RunningWorkbench, block: () => Promise<void>): Promise<void> {
  const call = (name: string, args: object = {}) =>
    workbench.request('tools/call', {
      name: 'use_tool',
      arguments: { tool: { toolbox: 'dev', server: 'any', name }, arguments: args },
    });
  const open = () => workbench.request('tools/call', { name: 'open_toolbox', arguments: { toolbox: 'dev' } });
  expect((await call('echo', { a: 1 })).result).toMatchObject({ content: [{ text: '{"a":1}' }] });
  // The parts of the program are loaded by now.
  expect(JSON.stringify((await open()).result)).toContain('servers_connected');
  await block();
  expect((await call('crash', { with: 7 })).result).toMatchObject({ isError: true });
  expect((await call('echo', { a: 2 })).result).toMatchObject({ content: [{ text: '{"a":2}' }] });
  expect(JSON.stringify((await open()).result)).toContain('servers_connected');
}

test('while no file operation ends, calls of a session alone are answered, servers restarted, and the workbench still ends', async () => {
  const env = { NODE_OPTIONS: `--import=${blocker.href}`, ...blockable() };
  const workbench = startWorkbench({ config, env, alone: true });
  await initialize(workbench);
  await expectServed(workbench, async () => {
    workbench.kill('SIGUSR2');
    await until(() => workbench.stderr().includes('file operations are blocked'));
  });
  workbench.end();
  // Not by `process.exit`, which would wait for the file operations.
  expect(await workbench.exited).toEqual({ code: null, signal: 'SIGKILL' });
  await expectNoProcessLeft(workbench.marker);
});

test('while no file operation of a host ends, calls are answered, servers restarted, and the host still ends', async () => {
  linuxOnly('processes in /proc');
  const shared = shareSessions(config);
  const host = startHostWith(blocker, { ...shared, env: blockable() });
  let said = '';
  host.stderr?.on('data', (chunk) => (said += String(chunk)));
  await until(() => existsSync(shared.socket));
  const session = await shared.start();
  await expectServed(session, async () => {
    host.kill('SIGUSR2');
    await until(() => said.includes('file operations are blocked'));
  });
  expect(hostOf(shared).pid).toBe(host.pid);
  const ended = once(host, 'exit');
  session.end();
  await session.exited;
  // After the time for which it waits for another session.
  expect(await ended).toEqual([null, 'SIGKILL']);
  await expectNoProcessLeft(shared.marker);
});
