// @module-tag slow
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectAgent, opened, text } from '../support/agents.js';
import { devToolbox, type TestConfig } from '../support/configs.js';
import * as inProcess from '../support/in-process.js';
import { temporaryDirectory } from '../support/launch.js';
import { linuxOnly } from '../support/platform.js';
import { expectNoProcessLeft, markerVariable, processesWith } from '../support/processes.js';
import { fixture, real } from '../support/servers.js';
import { until } from '../support/until.js';
import { initialize, startWorkbench } from '../support/workbench.js';

function realToolbox() {
  const dir = temporaryDirectory();
  const config = devToolbox({
    memory: real.memory(join(dir, 'memory.jsonl')),
    filesystem: real.filesystem(dir),
    everything: real.everything(),
  });
  return { dir, config };
}

describe('a client', () => {
  test('opens a toolbox of real servers and uses a tool of each', async () => {
    const { dir, config } = realToolbox();
    writeFileSync(join(dir, 'note.txt'), 'from the disk');
    const agent = await connectAgent('v1', { config });
    const use = async (server: string, name: string, args: object) => {
      const result = await agent.callTool('use_tool', { tool: { toolbox: 'dev', server, name }, arguments: args });
      expect(result.isError ?? false, text(result)).toBe(false);
      return result;
    };

    const listing = opened(await agent.callTool('open_toolbox', { toolbox: 'dev' }));
    expect(listing.servers_connected).toBe(3);
    expect(listing.unavailable).toBeUndefined();
    // 36 tools, more than an answer can hold in full: some are rows, with their schemas.
    const { tools, columns = [], rows = [] } = listing;
    const inRows = rows.map((row) => ({ server: row[0], inputSchema: row[columns.indexOf('inputSchema')] }));
    expect(tools.length + rows.length).toBeGreaterThan(30);
    expect(new Set([...tools, ...inRows].map(({ server }) => server))).toEqual(
      new Set(['memory', 'filesystem', 'everything']),
    );
    for (const { inputSchema } of [...tools, ...inRows]) expect(inputSchema).toMatchObject({ type: 'object' });

    expect(text(await use('filesystem', 'read_text_file', { path: join(dir, 'note.txt') }))).toContain('from the disk');
    await use('filesystem', 'write_file', { path: join(dir, 'new.txt'), content: 'by the agent' });
    expect(readFileSync(join(dir, 'new.txt'), 'utf8')).toBe('by the agent');

    const entities = [{ name: 'Ada', entityType: 'person', observations: ['likes engines'] }];
    expect(await use('memory', 'create_entities', { entities })).toMatchObject({ structuredContent: { entities } });
    expect(text(await use('memory', 'search_nodes', { query: 'engines' }))).toContain('Ada');

    expect(text(await use('everything', 'echo', { message: 'ü ✓' }))).toContain('ü ✓');
    const picture = await use('everything', 'get-tiny-image', {});
    expect(picture.content.map(({ type }) => type)).toContain('image');
  });

  test('shares one connection between openings and calls', async () => {
    linuxOnly('signals, processes in /proc');
    const { config } = realToolbox();
    const agent = await connectAgent('v2 legacy', { config });
    await agent.open('dev');
    const before = processesWith(agent.marker).map(({ pid }) => pid);
    await Promise.all([
      agent.open('dev'),
      agent.use('dev', 'memory', 'read_graph'),
      agent.use('dev', 'everything', 'echo', { message: 'x' }),
    ]);
    expect(processesWith(agent.marker).map(({ pid }) => pid)).toEqual(before);
  });
});

test('an error result of a real server is returned unchanged', async () => {
  const config = devToolbox({ filesystem: real.filesystem(temporaryDirectory()) });
  const agent = await inProcess.connectAgent('v2 modern', { config });
  const result = await agent.use('dev', 'filesystem', 'read_text_file', { path: '/etc/hostname' });
  expect(result.isError).toBe(true);
  expect(text(result)).toMatch(/denied|outside/i);
});

test('wrong arguments are explained also after a JSON-RPC error of a real server', async () => {
  const agent = await inProcess.connectAgent('v2 modern', { config: devToolbox({ github: real.github() }) });
  const result = await agent.use('dev', 'github', 'get_issue', { owner: 'a', issue_number: 'one', no: 1 });
  expect(result.isError).toBe(true);
  expect(text(result)).toMatch(
    /^Tool 'get_issue' of server 'github' \(toolbox 'dev'\) failed: the server answered with /,
  );
  expect(text(result)).toContain(
    `The arguments do not match the input schema of tool 'get_issue': missing: repo; issue_number: expected number, got "one"; unknown property 'no'. Signature: get_issue(`,
  );
});

const passedOn = {
  USER: 'me',
  LOGNAME: 'me',
  SHELL: '/bin/sh',
  TERM: 'dumb',
  TMPDIR: '/tmp',
  LANG: 'C.UTF-8',
  LC_ALL: 'C.UTF-8',
  LC_TIME: 'C',
  TZ: 'UTC',
  XDG_RUNTIME_DIR: '/tmp',
  XDG_DATA_HOME: '/tmp',
  HTTP_PROXY: 'http://127.0.0.1:9',
  https_proxy: 'http://127.0.0.1:9',
  NO_PROXY: 'localhost',
  NODE_EXTRA_CA_CERTS: '/dev/null',
  SSL_CERT_FILE: '/dev/null',
  SSH_AUTH_SOCK: '/tmp/none',
  DISPLAY: ':0',
  WAYLAND_DISPLAY: 'wayland-0',
  DBUS_SESSION_BUS_ADDRESS: 'unix:path=/tmp/none',
};

const keptBack = {
  AWS_SECRET_ACCESS_KEY: 'canary',
  GITHUB_TOKEN: 'canary',
  ANTHROPIC_API_KEY: 'canary',
  NODE_ENV: 'canary',
  npm_config_registry: 'canary',
  WORKBENCH_CONFIG_CANARY: 'canary',
  PWD_CANARY: 'canary',
  PATH_CANARY: 'canary',
  HOMEBREW_GITHUB_API_TOKEN: 'canary',
};

test('a server gets a minimal environment and what its entry sets, nothing else', async () => {
  const env = { GIVEN: '${GITHUB_TOKEN}', TERM: 'mine' };
  const agent = await connectAgent('v2 modern', {
    config: devToolbox({ any: { ...fixture(), env } }),
    env: { ...passedOn, ...keptBack },
  });
  const given = JSON.parse(text(await agent.use('dev', 'any', 'env')));
  // The workbench's own mark, by which it finds descendants of its servers.
  const { MCP_WORKBENCH_CHILD: _, PATH, HOME, [markerVariable]: marker, ...rest } = given;
  expect(rest).toEqual({ ...passedOn, TERM: 'mine', GIVEN: 'canary' });
  expect(PATH).toBe(process.env['PATH']);
  expect(HOME).toBe(join(agent.dir, 'home'));
  expect(marker).toBe(agent.marker);
});

test('a server runs in the directory of the workbench, or in its own', async () => {
  const dir = temporaryDirectory();
  const config = devToolbox({ plain: fixture(), placed: { ...fixture(), cwd: dir } });
  const agent = await inProcess.connectAgent('v2 modern', { config });
  expect(text(await agent.use('dev', 'plain', 'cwd'))).toBe(join(agent.dir, 'home'));
  expect(text(await agent.use('dev', 'placed', 'cwd'))).toBe(dir);
});

test('a server is started without a shell', async () => {
  const strange = '$HOME `id` "quoted" \'single\' * ; | & \n end';
  const config = devToolbox({ any: fixture('--instructions', strange) });
  const agent = await inProcess.connectAgent('v2 modern', { config });
  expect(opened(await agent.open('dev')).instructions).toEqual([{ server: 'any', text: strange }]);
});

describe('when the workbench ends, nothing it started is left', () => {
  linuxOnly('signals, processes in /proc');
  const start = async (config: TestConfig) => {
    const workbench = startWorkbench({ config });
    await initialize(workbench);
    await workbench.request('tools/call', { name: 'open_toolbox', arguments: { toolbox: 'dev' } });
    expect(processesWith(workbench.marker).length).toBeGreaterThanOrEqual(3);
    return workbench;
  };

  test('after the client closes stdin', async () => {
    const workbench = await start(realToolbox().config);
    workbench.end();
    expect(await workbench.exited).toEqual({ code: 0, signal: null });
    await expectNoProcessLeft(workbench.marker);
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('after %s', async (signal) => {
    const workbench = await start(devToolbox({ any: fixture('--helper', 'child') }));
    workbench.kill(signal);
    await workbench.exited;
    await expectNoProcessLeft(workbench.marker);
  });

  test('while servers are still starting', async () => {
    const workbench = startWorkbench({
      config: devToolbox({ slow: fixture('--start-delay', 60_000), quick: fixture() }),
    });
    await initialize(workbench);
    workbench.send({
      id: 'open',
      method: 'tools/call',
      params: { name: 'open_toolbox', arguments: { toolbox: 'dev' } },
    });
    await until(() => processesWith(workbench.marker).length >= 3, { what: 'both servers' });
    workbench.end();
    await workbench.exited;
    await expectNoProcessLeft(workbench.marker);
  });

  test('while a call runs', async () => {
    const workbench = startWorkbench({ config: devToolbox({ any: fixture('--ignore-eof', '--helper', 'child') }) });
    await initialize(workbench);
    const tool = { toolbox: 'dev', server: 'any', name: 'hang' };
    workbench.send({ id: 'hang', method: 'tools/call', params: { name: 'use_tool', arguments: { tool } } });
    await until(() => processesWith(workbench.marker).length >= 3, { what: 'the server and its helper' });
    workbench.kill('SIGTERM');
    await workbench.exited;
    await expectNoProcessLeft(workbench.marker);
  });
});
