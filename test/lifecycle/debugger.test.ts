// @module-tag hostile
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { connectAgent, text } from '../support/agents.js';
import { devToolbox } from '../support/configs.js';
import { hostile } from '../support/hostile.js';
import { runnerOf } from '../support/hosts.js';
import { linuxOnly, posixOnly } from '../support/platform.js';
import { initialize, startWorkbench } from '../support/workbench.js';

test('a server cannot open the debugger of the workbench', async () => {
  posixOnly('signals');
  const agent = await connectAgent('v2 modern', { config: devToolbox({ hostile: hostile('open-debugger') }) });
  for (let times = 0; times < 3; times++) expect(text(await agent.use('dev', 'hostile', 'attack'))).toBe('done');
  expect(text(await agent.use('dev', 'hostile', 'echo', { a: 1 }))).toBe('{"a":1}');
  expect(agent.stderr()).not.toMatch(/debugger/i);
});

test('a workbench that got SIGUSR1, and its host, serve on and listen on no port', async () => {
  linuxOnly('sockets in /proc');
  const workbench = startWorkbench({ config: devToolbox({ hostile: hostile('open-debugger') }) });
  await initialize(workbench);
  const tool = { toolbox: 'dev', server: 'hostile', name: 'echo' };
  const echo = () => workbench.request('tools/call', { name: 'use_tool', arguments: { tool, arguments: { a: 1 } } });
  await echo();
  for (const pid of [workbench.pid, runnerOf(workbench)]) process.kill(pid, 'SIGUSR1');
  expect((await echo()).result).toMatchObject({ content: [{ text: '{"a":1}' }] });
  expect(workbench.stderr()).not.toMatch(/debugger/i);
  // Port 9229, listening.
  expect(readFileSync(`/proc/${workbench.pid}/net/tcp`, 'utf8')).not.toMatch(/:240D [0-9A-F:]+ 0A/);
});
