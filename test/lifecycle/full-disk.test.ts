import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { opened } from '../support/agents.js';
import { devToolbox } from '../support/configs.js';
import { endHosts } from '../support/hosts.js';
import { posixOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { initialize, startWorkbench } from '../support/workbench.js';

posixOnly('ulimit');

test('the workbench works without writing any file, and leaves no temporary files', async () => {
  // No file may grow.
  const workbench = startWorkbench({ config: devToolbox({ any: fixture('--tools', 'echo') }), limit: '-f 0' });
  await initialize(workbench);
  const { result } = await workbench.request('tools/call', { name: 'open_toolbox', arguments: { toolbox: 'dev' } });
  expect(opened(result as never).servers_connected).toBe(1);
  workbench.end();
  expect((await workbench.exited).code).toBe(0);
  await endHosts();
  const files = readdirSync(`${workbench.dir}/home`, { recursive: true }).map(String);
  expect(files.filter((path) => /\.json\b/.test(path))).toEqual([]);
});
