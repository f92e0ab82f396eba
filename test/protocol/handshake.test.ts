import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectAgent, flavours } from '../support/agents.js';
import { devToolbox } from '../support/configs.js';
import { temporaryDirectory } from '../support/launch.js';
import { childrenOf, processesWith, seesProcesses } from '../support/processes.js';
import { fixture } from '../support/servers.js';
import { initialize, modern, type RunningWorkbench, startWorkbench } from '../support/workbench.js';

const config = devToolbox({ files: fixture(), memory: fixture() });

const legacyVersions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

const metaTools = ['open_toolbox', 'use_tool'];

const namesIn = (tools: unknown) => (Array.isArray(tools) ? tools.map((tool: { name: string }) => tool.name) : []);

/** The path of the configuration differs between starts. */
const withoutPath = (workbench: { dir: string }, instructions: unknown) =>
  String(instructions).replaceAll(workbench.dir, 'DIR');

function expectNothingStarted(workbench: Pick<RunningWorkbench, 'pid' | 'marker'>): void {
  if (!seesProcesses) return;
  expect(childrenOf(workbench.pid)).toEqual([]);
  expect(processesWith(workbench.marker).map(({ pid }) => pid)).toEqual([workbench.pid]);
}

test.each(legacyVersions)('a client of %s gets its own revision, two tools and the instructions', async (version) => {
  const workbench = startWorkbench({ config });
  const { result } = await initialize(workbench, version);
  expect(result).toMatchObject({ protocolVersion: version, serverInfo: { name: 'mcp-workbench' } });
  expect(result?.['instructions']).toContain('dev');
  const listed = await workbench.request('tools/list', {});
  expect(namesIn(listed.result?.['tools'])).toEqual(metaTools);
});

test('a legacy client with an unknown revision is offered a known one', async () => {
  const workbench = startWorkbench({ config });
  const { result } = await initialize(workbench, '2031-01-01');
  expect(legacyVersions).toContain(result?.['protocolVersion']);
});

test('a modern client needs no handshake', async () => {
  const workbench = startWorkbench({ config });
  const listed = await workbench.request('tools/list', modern());
  expect(namesIn(listed.result?.['tools'])).toEqual(metaTools);
  expect(listed.result).toMatchObject({ resultType: 'complete' });
  expect(listed.result?.['ttlMs']).toBeTypeOf('number');
});

test('server/discover returns the same instructions as initialize', async () => {
  const legacyWorkbench = startWorkbench({ config });
  const modernWorkbench = startWorkbench({ config });
  const legacy = await initialize(legacyWorkbench);
  const discovered = await modernWorkbench.request('server/discover', modern());
  expect(discovered.result?.['supportedVersions']).toEqual(['2026-07-28']);
  expect(discovered.result?.['ttlMs']).toBeTypeOf('number');
  expect(withoutPath(modernWorkbench, discovered.result?.['instructions'])).toBe(
    withoutPath(legacyWorkbench, legacy.result?.['instructions']),
  );
});

test('real clients of every kind see the same two tools and the same instructions', async () => {
  const seen = await Promise.all(
    flavours.map(async (flavour) => {
      const agent = await connectAgent(flavour, { config });
      return { tools: await agent.listTools(), instructions: withoutPath(agent, agent.instructions) };
    }),
  );
  const [first, ...others] = seen;
  expect(namesIn(first?.tools)).toEqual(metaTools);
  for (const other of others) expect(other).toEqual(first);
});

test('the instructions name the toolboxes with their servers and descriptions, the file in use and a correct call', async () => {
  const workbench = startWorkbench({ config });
  const { result } = await initialize(workbench);
  const instructions = String(result?.['instructions']);
  expect(instructions).toContain('- dev (files, memory): For development');
  expect(instructions).toContain(join(workbench.dir, 'workbench-config.json'));
  expect(instructions).toMatch(/"name"\s*:/);
  expect(instructions.length).toBeLessThanOrEqual(2_000);
});

test('the instructions stay within 2,000 characters for sixty toolboxes and keep every name', async () => {
  const names = Array.from({ length: 60 }, (_, index) => `toolbox-${index}`);
  const toolbox = {
    description: 'A description that is long enough to matter. '.repeat(5),
    mcpServers: { s: fixture() },
  };
  const workbench = startWorkbench({ config: { toolboxes: new Map(names.map((name) => [name, toolbox])) } });
  const { result } = await initialize(workbench);
  const instructions = String(result?.['instructions']);
  expect(instructions.length).toBeLessThanOrEqual(2_000);
  for (const name of names) expect(instructions).toContain(name);
});

test('a legacy client can connect and list without starting any process', async () => {
  const log = join(temporaryDirectory(), 'log');
  const workbench = startWorkbench({ config: devToolbox({ files: fixture('--log', log) }) });
  await initialize(workbench);
  expectNothingStarted(workbench);
  await workbench.request('tools/list', {});
  await workbench.request('ping');
  expectNothingStarted(workbench);
  expect(existsSync(log)).toBe(false);
});

test('a modern client can connect and list without starting any process', async () => {
  const log = join(temporaryDirectory(), 'log');
  const workbench = startWorkbench({ config: devToolbox({ files: fixture('--log', log) }) });
  await workbench.request('server/discover', modern());
  expectNothingStarted(workbench);
  await workbench.request('tools/list', modern());
  expectNothingStarted(workbench);
  expect(existsSync(log)).toBe(false);
});

test('a client that probes with server/discover and then initializes is served', async () => {
  const workbench = startWorkbench({ config });
  await workbench.request('server/discover', modern());
  await initialize(workbench);
  const listed = await workbench.request('tools/list', {});
  expect(namesIn(listed.result?.['tools'])).toEqual(metaTools);
});
