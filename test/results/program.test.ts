import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { devToolbox } from '../support/configs.js';
import type { LaunchOptions } from '../support/launch.js';
import { linuxOnly, posixOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { modern, type RunningWorkbench, startWorkbench } from '../support/workbench.js';

const config = devToolbox({ any: fixture() });

/** The built program, with a host if not said otherwise, and a client of this name. */
async function connect(client: string, launch: LaunchOptions = {}, era: 'legacy' | 'modern' = 'legacy') {
  const workbench = startWorkbench({ config, ...launch });
  const clientInfo = { name: client, version: '1' };
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  if (era === 'legacy') await workbench.request('initialize', hello);
  const params = (name: string, args: object | undefined, result?: object) => {
    const tool = { toolbox: 'dev', server: 'any', name };
    const call = { name: 'use_tool', arguments: { tool, ...(args && { arguments: args }), ...(result && { result }) } };
    return era === 'legacy' ? call : modern(call, {}, {}, client);
  };
  return {
    workbench,
    use: async (name: string, args: object | undefined, result?: object): Promise<string[]> => {
      const { result: got, error } = await workbench.request('tools/call', params(name, args, result));
      if (!Array.isArray(got?.['content'])) throw new Error(JSON.stringify(error));
      return got['content'].map(({ text }) => String(text));
    },
  };
}

/** Everything in the home of the program, but for its own files. */
function keptFilesOf({ dir }: RunningWorkbench): string[] {
  const home = join(dir, 'home');
  return existsSync(home)
    ? readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('kept-'))
    : [];
}

describe.each(['legacy', 'modern'] as const)('through the host, a %s agent', (era) => {
  test('finds one of two hundred with an outline and one more call, and the tool is called once', async () => {
    const { use } = await connect('claude-code', {}, era);
    const [outline, note] = await use('issues', { count: 212, indent: 2 });
    expect(outline).toMatch(/^\[212 × \{number: number, .*name: "bug"\|"timeout"/);
    expect(note).toContain('"result":{"of":"r1","select":"…"}}');
    expect(await use('issues', undefined, { of: 'r1', select: "[?labels[0].name=='timeout'].title | [0]" })).toEqual([
      '"Question about module 18"',
    ]);
    expect(await use('issues', { count: 3 }, { select: 'length(@)' })).toEqual(['3']);
    const { calls } = JSON.parse((await use('stats', {}))[0] ?? '');
    expect(calls).toBe(3);
  });

  test('with an unknown name gets the same bytes as one whose limit is not reached, and as without a host', async () => {
    posixOnly('has hosts');
    const lines = [];
    for (const [client, launch] of [
      ['somebody', {}],
      ['claude-code', {}],
      ['somebody', { alone: true }],
    ] as const) {
      const { workbench, use } = await connect(client, launch, era);
      for (const count of [1, 20, 40]) await use('issues', { count, indent: 1 });
      lines.push(workbench.lines.filter((line) => line.includes('Question about module')));
    }
    expect(lines[0]).toHaveLength(3);
    expect(lines[1]).toEqual(lines[0]);
    expect(lines[2]?.map(contentIn)).toEqual(lines[0]?.map(contentIn));
  });
});

/** Key orders differ where a result is written by another process. */
function contentIn(line: string): unknown {
  return JSON.parse(line).result.content;
}

test('kept results leave no file behind, while the program runs and after it was killed', async () => {
  linuxOnly('kills a process and looks for its files');
  const { workbench, use } = await connect('claude-code');
  for (let time = 1; time <= 3; time++) {
    expect((await use('issues', { count: 1_000 }))[1]).toContain(`"of":"r${time}"`);
    expect(keptFilesOf(workbench)).toEqual([]);
  }
  workbench.kill('SIGKILL');
  await workbench.exited;
  expect(keptFilesOf(workbench)).toEqual([]);
});

test('where files may not grow, results are kept in memory, and one that is too large for that is still answered', async () => {
  posixOnly('limits the size of files');
  const { use } = await connect('claude-code', { alone: true, limit: '-f 64' });
  const [, kept] = await use('blob', { bytes: 1_000_000 });
  expect(kept).toContain('Kept; the call is not made again.');
  const [page] = await use('blob', undefined, { of: 'r1', from: 990_000 });
  expect(page).toBe('x'.repeat(10_000));
  const [beginning, lost] = await use('blob', { bytes: 9_000_000 });
  expect(beginning).toBe('x'.repeat(8_000));
  expect(lost).toBe(
    '\nThe first 8,000 of 9,000,000 characters, more than this client shows. It could not be kept. Make the same call again with "result":{"select":"…"} (JMESPath) or {"find":"…"}',
  );
});

test('resultBudgetChars sets how much is sent at once, and 0 turns cutting off', async () => {
  const budget = async (resultBudgetChars: number) => {
    const { use } = await connect('claude-code', { config: { ...config, resultBudgetChars } });
    return use('issues', { count: 212 });
  };
  expect((await budget(0))[0]).toHaveLength(180_706);
  const [outline, note] = await budget(5_000);
  expect(outline).toMatch(/^\[212 × /);
  expect(note).toContain('more than resultBudgetChars in the configuration.');
});

test('an error of the workbench is no result of a tool, and is never cut', async () => {
  const { use } = await connect('claude-code');
  expect((await use('nope', {}, { select: 'a' }))[0]).toMatch(/^Tool 'nope' not found in server 'any'/);
  expect((await use('issues', undefined, { of: 'r1' }))[0]).toBe(
    'Result \'r1\' is no longer kept. Call the tool again without "of".',
  );
});
