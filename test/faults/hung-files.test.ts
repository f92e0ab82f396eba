import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { devToolbox } from '../support/configs.js';
import { posixOnly } from '../support/platform.js';
import { expectNoProcessLeft } from '../support/processes.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';
import { initialize, startWorkbench } from '../support/workbench.js';

posixOnly('mkfifo, signals');

const blocker = pathToFileURL(fileURLToPath(new URL('../fixtures/block-files.mjs', import.meta.url))).href;

test('while no file operation ends, calls are answered and servers restarted, and the workbench still ends', async () => {
  const fifo = join(mkdtempSync(join(tmpdir(), 'mcp-workbench-fifo-')), 'fifo');
  execFileSync('/bin/sh', ['-c', 'mkfifo "$1"', 'mkfifo', fifo]);
  const workbench = startWorkbench({
    config: devToolbox({ any: fixture('--ignore-eof') }),
    env: { NODE_OPTIONS: `--import=${blocker}`, UV_THREADPOOL_SIZE: '1', BLOCK_FILES_WITH: fifo },
  });
  await initialize(workbench);
  const call = (name: string, args: object = {}) =>
    workbench.request('tools/call', {
      name: 'use_tool',
      arguments: { tool: { toolbox: 'dev', server: 'any', name }, arguments: args },
    });
  const open = () => workbench.request('tools/call', { name: 'open_toolbox', arguments: { toolbox: 'dev' } });
  expect((await call('echo', { a: 1 })).result).toMatchObject({ content: [{ text: '{"a":1}' }] });

  // The parts of the program are loaded by now.
  expect(JSON.stringify((await open()).result)).toContain('servers_connected');

  workbench.kill('SIGUSR2');
  await until(() => workbench.stderr().includes('file operations are blocked'));
  expect((await call('crash', { with: 7 })).result).toMatchObject({ isError: true });
  expect((await call('echo', { a: 2 })).result).toMatchObject({ content: [{ text: '{"a":2}' }] });
  expect(JSON.stringify((await open()).result)).toContain('servers_connected');

  workbench.end();
  // Not by `process.exit`, which would wait for the file operations.
  expect(await workbench.exited).toEqual({ code: null, signal: 'SIGKILL' });
  await expectNoProcessLeft(workbench.marker);
});
