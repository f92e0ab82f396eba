import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createHome, type Home, marked } from '../support/homes.js';
import { runnerOf } from '../support/hosts.js';
import { startCanary } from '../support/http-servers.js';
import { temporaryDirectory } from '../support/launch.js';
import { posixOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { beginSession, socketsOf } from '../support/sessions.js';
import { untilHolds } from '../support/until.js';
import { startWorkbench } from '../support/workbench.js';

posixOnly('looks for sockets in a directory');

const use = (server: string, name = 'echo') => ({
  name: 'use_tool',
  arguments: { tool: { toolbox: 'dev', server, name }, arguments: { text: 'x' } },
});

async function statesIn(home: Home): Promise<Record<string, Record<string, unknown>>> {
  const { code, stdout, stderr } = await home.run('list', '--json');
  expect([code, stderr]).toEqual([0, '']);
  const { version, toolboxes } = JSON.parse(stdout);
  expect(version).toBe(1);
  return Object.fromEntries(
    toolboxes.flatMap(({ servers }: { servers: { name: string }[] }) => servers.map((server) => [server.name, server])),
  );
}

test('list starts nothing, and says what is known', async () => {
  const canary = await startCanary();
  const log = `${temporaryDirectory()}/log`;
  const home = createHome({
    toolboxes: {
      dev: { description: 'For tests', mcpServers: { any: fixture('--log', log), remote: { url: canary.url } } },
    },
  });
  const { any, remote } = await statesIn(home);
  expect([any?.['state'], remote?.['state']]).toEqual(['unknown', 'unknown']);
  expect(() => readFileSync(log)).toThrow('ENOENT');
  expect(canary.connections()).toBe(0);
});

test('beside two sessions, list shows both, then one that was killed no more, and one that does not answer as such', async () => {
  const server = { ...fixture(), env: marked };
  const home = createHome({
    toolboxes: { dev: { description: 'For tests', mcpServers: { one: server, two: server } } },
  });
  const [killed, stopped] = [startWorkbench({ env: home.env }), startWorkbench({ env: home.env })];
  await Promise.all([beginSession(killed, use('one')), beginSession(stopped, use('one'))]);
  // Tools are written to the cache a moment later, and sessions on a busy machine do not always answer in time.
  await untilHolds(async () =>
    expect(await statesIn(home)).toMatchObject({
      one: { state: 'awake', clients: ['raw', 'raw'], tools: expect.any(Number) },
      two: { state: 'unknown' },
    }),
  );
  await untilHolds(async () => expect((await home.see(['list'])).screen).toMatch(/ {2}one +● awake \d+ s · raw ×2 /));
  await untilHolds(async () =>
    expect((await home.see([])).screen).toContain('1 toolbox, 2 servers: 1 awake in 2 sessions, 1 not measured yet'),
  );

  killed.kill('SIGKILL');
  await killed.exited;
  await untilHolds(async () =>
    expect((await statesIn(home))['one']).toMatchObject({ state: 'awake', clients: ['raw'] }),
  );
  expect(socketsOf(killed.pid)).toEqual([]);

  const runner = runnerOf(stopped);
  process.kill(runner, 'SIGSTOP');
  try {
    expect(await statesIn(home)).toMatchObject({ one: { state: 'silent', silentProcess: runner } });
    expect((await home.run('list')).stdout).toContain(`● awake? (session ${runner} does not answer)`);
  } finally {
    process.kill(runner, 'SIGCONT');
  }
  stopped.end();
  await stopped.exited;
  expect((await statesIn(home))['one']).toMatchObject({ state: 'asleep', knownSince: expect.any(String) });
});

test('a server that failed is shown with its last error until it starts well, without a session', async () => {
  const flag = `${temporaryDirectory()}/well`;
  const { command = '', args = [] } = fixture();
  const script = `test -e ${flag} && exec "$@"; echo broken >&2; exit 3`;
  const home = createHome({
    toolboxes: {
      dev: {
        description: 'For tests',
        mcpServers: { any: { command: 'sh', args: ['-c', script, 'sh', command, ...args], env: marked } },
      },
    },
  });
  expect((await home.run('tools', 'dev', 'any')).code).toBe(4);
  expect((await statesIn(home))['any']).toMatchObject({
    state: 'failed',
    error: { kind: 'crashed', reason: expect.stringContaining('exited with code 3') },
  });
  writeFileSync(flag, '');
  expect((await home.run('tools', 'dev', 'any')).code).toBe(0);
  expect((await statesIn(home))['any']).toMatchObject({ state: 'asleep', tools: expect.any(Number) });
});

test('filters decide which tools and tokens are counted', async () => {
  const all = { ...fixture('--tools', 'read_a,read_b,write_c'), env: marked };
  const home = createHome({
    toolboxes: { dev: { description: 'For tests', mcpServers: { all, some: { ...all, toolFilters: ['read_*'] } } } },
  });
  for (const server of ['all', 'some']) expect((await home.run('tools', 'dev', server)).code).toBe(0);
  const { all: whole, some } = await statesIn(home);
  expect([whole?.['tools'], some?.['tools']]).toEqual([3, 2]);
  expect(Number(some?.['tokens'])).toBeLessThan(Number(whole?.['tokens']));
});

test('tools starts only the server that is named, and only if its tools are not known', async () => {
  const log = `${temporaryDirectory()}/log`;
  const starts = () => {
    try {
      return readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line.includes('"start"')).length;
    } catch {
      return 0;
    }
  };
  const server = { ...fixture('--log', log), env: marked };
  const home = createHome({
    toolboxes: { dev: { description: 'For tests', mcpServers: { one: server, two: server } } },
  });
  for (const args of [
    ['tools'],
    ['tools', 'dev'],
    ['tools', '--search', 'echo'],
    ['list'],
    ['tools', 'dev', 'one', '--offline'],
  ])
    await home.run(...args);
  expect(starts()).toBe(0);
  const first = await home.run('tools', 'dev', 'one');
  expect(first.stderr).toMatch(/^› starting one … \d+\.\d s\n$/);
  expect(starts()).toBe(1);
  const again = await home.run('tools', 'dev', 'one');
  expect([again.stdout.replace(/tokens.*/, ''), again.stderr]).toEqual([first.stdout.replace(/tokens.*/, ''), '']);
  await home.run('tools', 'dev', 'one', 'echo');
  expect(starts()).toBe(1);
});

test('a long name does not hide the states of the others on a terminal', async () => {
  const server = { ...fixture(), env: marked };
  const home = createHome({
    toolboxes: { dev: { description: 'For tests', mcpServers: { short: server, ['n'.repeat(200)]: server } } },
  });
  const { screen } = await home.see(['list'], 80);
  expect(screen.match(/not measured yet /g)).toHaveLength(2);
});

test('an entry whose variable is not set is shown with its facts, and without its secrets', async () => {
  const env = { A: '${NOT_SET_ANYWHERE}' };
  const home = createHome({
    toolboxes: {
      dev: {
        mcpServers: {
          far: {
            url: 'https://a.example/mcp?api_key=a1b2c3d4e5f6',
            headers: { Authorization: 'Bearer ${NOT_SET_ANYWHERE}' },
          },
          near: { command: 'node', args: ['/opt/My Servers/a.js', '--token', 'a1b2c3d4e5f6'], env },
        },
      },
    },
  });
  const [far, near] = [await home.run('list', 'dev', 'far'), await home.run('list', 'dev', 'near')];
  expect(far.stdout).toContain('URL         https://a.example/mcp?•••');
  expect(near.stdout).toContain("Command     node '/opt/My Servers/a.js' --token •••");
});
