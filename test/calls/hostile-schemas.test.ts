// @module-tag hostile

import { describe, expect, test } from 'vitest';
import { text } from '../support/agents.js';
import { devToolbox } from '../support/configs.js';
import { expectNotHeldUp, hostile, reached } from '../support/hostile.js';
import { connectAgent } from '../support/in-process.js';
import { fixture } from '../support/servers.js';
import { initialize, startWorkbench } from '../support/workbench.js';

const args = { text: `${'a'.repeat(40)}!`, [`${'x'.repeat(40)}!`]: 1 };

describe.each([
  ['doubled-references', 'stdio'],
  ['backtracking-pattern', 'HTTP'],
] as const)('a schema with %s over %s', (attack, way) => {
  test('does not hold up the calls of another server', async () => {
    const config = devToolbox({ hostile: await reached(way, hostile(attack)), other: fixture() });
    const agent = await connectAgent('v2 modern', { config });
    await agent.open('dev');
    const results = await expectNotHeldUp(agent, ['dev', 'other'], () =>
      Promise.all(Array.from({ length: 10 }, () => agent.use('dev', 'hostile', 'attack', args))),
    );
    for (const result of results) {
      expect(result.isError).toBe(true);
      expect(text(result)).toContain('wrong arguments');
    }
  });

  test('does not keep the workbench from ending on SIGTERM', async () => {
    const workbench = startWorkbench({ config: devToolbox({ hostile: hostile(attack) }) });
    await initialize(workbench);
    const tool = { toolbox: 'dev', server: 'hostile', name: 'attack' };
    const answer = await workbench.request('tools/call', { name: 'use_tool', arguments: { tool, arguments: args } });
    expect(answer.result?.['isError']).toBe(true);
    workbench.kill('SIGTERM');
    expect(await workbench.exited).toEqual({ code: 0, signal: null });
  });
});

test('the faults that can be found cheaply are still explained', async () => {
  const agent = await connectAgent('v2 modern', { config: devToolbox({ hostile: hostile('backtracking-pattern') }) });
  const result = await agent.use('dev', 'hostile', 'attack', args);
  expect(text(result)).toContain('missing: other');
});

test('references of thousands of steps do not hold up the calls of another server', async () => {
  const config = devToolbox({ hostile: hostile('long-references'), other: fixture() });
  const agent = await connectAgent('v2 modern', { config });
  const listing = await expectNotHeldUp(agent, ['dev', 'other'], () => agent.open('dev'));
  expect(text(listing)).toContain('long_4');
});
