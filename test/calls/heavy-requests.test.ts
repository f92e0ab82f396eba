// @module-tag hostile
// @module-tag slow
import { describe, expect, test } from 'vitest';
import { connectAgent } from '../support/agents.js';
import { devToolbox } from '../support/configs.js';
import { expectNotHeldUp, hostile } from '../support/hostile.js';
import * as inProcess from '../support/in-process.js';
import { posixOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { textOf } from '../support/shared.js';
import { initialize, modern, type RunningWorkbench, startWorkbench } from '../support/workbench.js';

// What one agent sends must not be felt by the agents of other sessions, which the same host serves.

const config = devToolbox({ any: fixture(), busy: fixture('--name', 'busy'), hostile: hostile('similar-names') });

/** A call as a line, with arguments that are JSON already. */
function lineOf(id: string, args: string, tool: object = { toolbox: 'dev', server: 'any', name: 'echo' }): string {
  const params = `{"name":"use_tool","arguments":{"tool":${JSON.stringify(tool)},"arguments":${args}}}`;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call","params":${params}}\n`;
}

const numbers = (count: number) => `{"ms":1,"list":[${'1234567890123,'.repeat(count)}1]}`;

async function attacker(): Promise<RunningWorkbench> {
  const session = startWorkbench({ config });
  await initialize(session);
  return session;
}

async function sendAll(session: RunningWorkbench, lines: readonly string[], ids: readonly string[]) {
  for (const line of lines) session.write(line);
  return Promise.all(ids.map((id) => session.answerTo(id)));
}

describe('a request', () => {
  const overBytes = `{"text":"${'x'.repeat(9_000_000)}"}`;
  const overDepth = `${'{"a":'.repeat(120)}1${'}'.repeat(120)}`;

  test.each([
    [
      'legacy',
      'bytes',
      overBytes,
      /^Invalid parameters: the request has 9000\d{3} bytes, the limit is 8388608\. The tool was not/,
    ],
    [
      'modern',
      'values',
      numbers(500_000),
      /^Invalid parameters: the request has 7000\d{3} bytes and more than the limit of 500000/,
    ],
    ['legacy', 'levels', overDepth, /^Invalid parameters: the request is nested deeper than the limit of 100 levels\./],
  ])(
    'of a %s agent with too many %s gets INPUT_INVALID, and the next one is answered',
    async (era, _, args, problem) => {
      const session = inProcess.startWorkbench({ config });
      if (era === 'legacy') await initialize(session);
      session.write(lineOf('heavy', args));
      const { result } = await session.answerTo('heavy');
      expect(result).toMatchObject({ isError: true, _meta: { 'mcp-workbench/code': 'INPUT_INVALID' } });
      expect(textOf({ result })).toMatch(problem);
      expect(result?.['resultType']).toBe(era === 'legacy' ? undefined : 'complete');
      const params = { name: 'use_tool', arguments: { tool: { toolbox: 'dev', server: 'any', name: 'echo' } } };
      const next = await session.request('tools/call', era === 'legacy' ? params : modern(params));
      expect(textOf(next)).toBe('{}');
    },
  );
});

describe('the calls of another session stay within 200 ms', { timeout: 120_000 }, () => {
  test('beside a message of 60 MB with 5.6 million keys', async () => {
    posixOnly('has hosts');
    const [other, session] = [await connectAgent('v2 legacy', { config }), await attacker()];
    const keys = `{${Array.from({ length: 5_600_000 }, (_, index) => `"k${index}":1`).join(',')}}`;
    const line = lineOf('heavy', keys);
    const [refused] = await expectNotHeldUp(other, ['dev', 'any'], () => sendAll(session, [line], ['heavy']));
    expect(JSON.stringify(refused)).toContain('the limit is 8388608');
  });

  test('beside twenty requests, each as heavy as one may be', async () => {
    posixOnly('has hosts');
    const [other, session] = [await connectAgent('v2 legacy', { config }), await attacker()];
    const ids = Array.from({ length: 20 }, (_, index) => `heavy-${index}`);
    const lines = ids.map((id) => lineOf(id, numbers(490_000), { toolbox: 'dev', server: 'busy', name: 'sleep' }));
    const answers = await expectNotHeldUp(other, ['dev', 'any'], () => sendAll(session, lines, ids));
    // More of them than the server has read are refused.
    for (const answer of answers) expect(textOf(answer)).toMatch(/^slept 1 ms$|it is not reading its stdin/);
  });

  test('beside 150 misspelt names among 1,900 tools', async () => {
    posixOnly('has hosts');
    const [other, session] = [await connectAgent('v2 legacy', { config }), await attacker()];
    const ids = Array.from({ length: 150 }, (_, index) => `wrong-${index}`);
    const wrong = (id: string) => ({ toolbox: 'dev', server: 'hostile', name: `${'yyyyx'.repeat(8)}${id}` });
    await sendAll(session, [lineOf('first', '{}', wrong('first'))], ['first']);
    const answers = await expectNotHeldUp(other, ['dev', 'any'], () =>
      sendAll(
        session,
        ids.map((id) => lineOf(id, '{}', wrong(id))),
        ids,
      ),
    );
    for (const answer of answers) expect(textOf(answer)).toContain('not found');
  });
});
