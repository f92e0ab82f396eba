import { expect, test } from 'vitest';
import { createHome, marked } from '../support/homes.js';
import { fixtureWith } from '../support/servers.js';

const tool = (name: string, annotations: object = {}) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object' },
  annotations,
});

const tools = [
  tool('read', { readOnlyHint: true }),
  tool('add', { destructiveHint: false }),
  tool('send'),
  tool('drop'),
  tool('hide'),
];

const config = {
  defaults: { ask: ['@write'], deny: ['nothing_*'] },
  toolboxes: {
    dev: {
      description: 'For tests',
      mcpServers: {
        ruled: {
          ...fixtureWith(tools),
          env: marked,
          deny: ['drop', 'dorp'],
          ask: ['@destructive'],
          allow: ['send', 'sned'],
          excludeTools: ['hide'],
        },
        free: { ...fixtureWith([tool('look', { readOnlyHint: true })]), env: marked },
      },
    },
  },
};

test('list shows how many tools ask and are denied, and of one server which', async () => {
  const home = createHome(config);
  for (const server of ['ruled', 'free']) expect((await home.run('tools', 'dev', server)).code).toBe(0);
  const { stdout } = await home.run('list');
  expect(stdout).toMatch(/ruled .*3 tools.* 1 asks, 1 denied\n/);
  expect(stdout).toMatch(/free .*1 tool\s+\d+\n/);
  const one = (await home.run('list', 'dev', 'ruled')).stdout;
  expect(one).toContain('\n              A person is asked before each call of: add\n              Denied: drop\n');
  const facts = JSON.parse((await home.run('list', '--json')).stdout);
  const [ruled, free] = facts.toolboxes[0].servers;
  expect(ruled).toMatchObject({ tools: 3, asks: ['add'], denied: ['drop'] });
  expect(free).not.toHaveProperty('asks');
  expect(free).not.toHaveProperty('denied');
});

test('tools marks what asks, and names what is denied', async () => {
  const home = createHome(config);
  const server = await home.run('tools', 'dev', 'ruled');
  expect(server.stdout).toMatch(/^add\(\).* \(asks\)$/m);
  expect(server.stdout).not.toMatch(/^send.*asks/m);
  expect(server.stdout).not.toMatch(/^(?:drop|hide)/m);
  expect(server.stdout).toContain('\nA person is asked before each call of: add\nDenied: drop\n');
  const overview = await home.run('tools');
  expect(overview.stdout).toMatch(/dev ruled {3}3 tools, about \d+ tokens, 1 asks, 1 denied\n/);
  expect(overview.stdout).toMatch(/^ {2}add \(asks\) +Does add\.$/m);
  expect((await home.run('tools', 'dev', 'ruled', 'add')).stdout).toContain('\nA person is asked before each call.\n');
  expect((await home.run('tools', '--search', 'add')).stdout).toMatch(/^dev ruled {2}add\(\).*\(asks\)$/m);
  const facts = JSON.parse((await home.run('tools', 'dev', 'ruled', '--json')).stdout);
  expect(facts.denied).toEqual(['drop']);
  expect(facts.tools.map(({ name, asks }: { name: string; asks?: boolean }) => [name, asks])).toEqual([
    ['read', undefined],
    ['add', true],
    ['send', undefined],
  ]);
  const missing = await home.run('tools', 'dev', 'ruled', 'drop');
  expect([missing.code, missing.stdout]).toEqual([2, '']);
  expect(missing.stderr).toContain("Tool 'drop' not found in server 'ruled'");
});

test('completion offers no tool that is denied or left out', async () => {
  const home = createHome(config);
  await home.run('tools', 'dev', 'ruled');
  const words = ['completion', 'zsh', '--candidates', '--', 'call', 'dev', 'ruled', ''];
  expect((await home.run(...words)).stdout.trim().split('\n')).toEqual(['read', 'add', 'send']);
});

test('doctor shows what asks and what is denied, and warns of rules that name no tool', async () => {
  const home = createHome(config);
  const { code, stdout } = await home.run('doctor');
  expect(code).toBe(0);
  expect(stdout).toContain('    A person is asked before each call of: add\n    Denied: drop\n');
  expect(stdout).toContain('deny "dorp" names no tool\n');
  expect(stdout).toContain('allow "sned" names no tool\n');
  expect(stdout).toContain('config.defaults: deny "nothing_*" names no tool\n');
  expect(stdout.match(/names no tool/g)).toHaveLength(3);
  const report = JSON.parse((await home.run('doctor', '--json')).stdout);
  expect(report.warnings).toEqual(['config.defaults: deny "nothing_*" names no tool']);
  expect(report.servers[0]).toMatchObject({
    tools: 3,
    asks: ['add'],
    denied: ['drop'],
    warnings: ['deny "dorp" names no tool', 'allow "sned" names no tool'],
  });
  expect(report.servers[1]).not.toHaveProperty('warnings');
  // Nothing is known of the rest of the configuration.
  expect((await home.run('doctor', 'dev', 'free')).stdout).not.toContain('names no tool');
});
