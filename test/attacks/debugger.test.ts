import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { connectAgent, text } from '../support/agents.js';
import { devToolbox } from '../support/configs.js';
import { hostile } from '../support/hostile.js';
import { linuxOnly, posixOnly } from '../support/platform.js';
import { initialize, startWorkbench } from '../support/workbench.js';

test('a server cannot open the debugger of the workbench', async () => {
  posixOnly('signals');
  const agent = await connectAgent('v2 modern', { config: devToolbox({ hostile: hostile('open-debugger') }) });
  for (let times = 0; times < 3; times++) expect(text(await agent.use('dev', 'hostile', 'attack'))).toBe('done');
  expect(text(await agent.use('dev', 'hostile', 'echo', { a: 1 }))).toBe('{"a":1}');
  expect(agent.stderr()).not.toMatch(/debugger/i);
});

test('a workbench that got SIGUSR1 serves on and listens on no port', async () => {
  linuxOnly('sockets in /proc');
  const workbench = startWorkbench({ config: devToolbox({ hostile: hostile('open-debugger') }) });
  await initialize(workbench);
  workbench.kill('SIGUSR1');
  expect((await workbench.request('ping')).result).toEqual({});
  expect(workbench.stderr()).not.toMatch(/debugger/i);
  // Port 9229, listening.
  expect(readFileSync(`/proc/${workbench.pid}/net/tcp`, 'utf8')).not.toMatch(/:240D [0-9A-F:]+ 0A/);
});
