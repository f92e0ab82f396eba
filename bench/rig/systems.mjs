import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startClient } from './client.mjs';
import { childrenOf, isRunning } from './processes.mjs';
import { until } from './wait.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const require = createRequire(import.meta.url);

const programs = new Map();

/** A copy of a built program, because a build or a test run during a measurement replaces the original. */
function programIn(checkout) {
  const made = programs.get(checkout) ?? copyProgram(checkout);
  programs.set(checkout, made);
  return made;
}

function copyProgram(checkout) {
  const directory = mkdtempSync(join(tmpdir(), 'mcp-workbench-copy-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  for (const name of ['dist', 'package.json']) cpSync(join(checkout, name), join(directory, name), { recursive: true });
  becomeAnotherBuild(join(directory, 'dist'));
  return join(directory, 'dist', 'main.js');
}

/** A host serves all sessions of its build: one that runs already, e.g. of another checkout, would be measured. */
function becomeAnotherBuild(dist) {
  const names = readdirSync(dist).filter((name) => name.endsWith('.js'));
  const build = names.map((name) => /^engine-([\da-f]{8})\.js$/.exec(name)?.[1]).find((found) => found !== undefined);
  if (build === undefined) return;
  const own = randomBytes(4).toString('hex');
  for (const name of names) {
    const path = join(dist, name);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(build, own));
    renameSync(path, join(dist, name.replace(build, own)));
  }
}

/** A copy of the program of this checkout. */
export function programCopy() {
  return programIn(here('../..'));
}

/** The one toolbox that every scenario uses. */
const toolbox = 'bench';

/** An entry for the fake server with these flags; see fake-server.mjs. */
export function fakeServer(...flags) {
  return { command: process.execPath, args: [here('../fake-server.mjs'), ...flags.map(String)] };
}

/** An entry for a server that makes these attacks; see hostile-server.mjs. */
export function hostileServer(attacks, ...flags) {
  return {
    command: process.execPath,
    args: [here('../../test/fixtures/hostile-server.mjs'), attacks.join(), ...flags],
  };
}

/** Every attack that there is. */
export function attackNames() {
  return readdirSync(here('../../test/fixtures/hostile-server'))
    .filter((name) => name.endsWith('.mjs'))
    .map((name) => name.replace('.mjs', ''));
}

/** An entry for a real server, from the packages that the tests use too. */
export function memoryServer() {
  const name = '@modelcontextprotocol/server-memory';
  const { bin } = require(`${name}/package.json`);
  return { command: process.execPath, args: [require.resolve(`${name}/${Object.values(bin)[0]}`)] };
}

/** `count` equal servers, `server-0`, `server-1`, … */
export function manyServers(count, entry) {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`server-${index}`, entry]));
}

export function createWorkspace({ inherit = false } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'mcp-workbench-bench-'));
  return {
    directory,
    // A host belongs to no round; the scenario `shared` sets it.
    env: { ...(inherit ? shellEnvironment() : { PATH: process.env.PATH }), HOME: directory, WORKBENCH_SHARED: '0' },
    writeConfig(config) {
      const path = join(directory, 'workbench-config.json');
      writeFileSync(path, JSON.stringify(config));
      return path;
    },
    remove() {
      const removeAll = () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
      try {
        removeAll();
      } catch {
        // A host still writes the log of a session that has ended.
        process.once('exit', removeAll);
      }
    },
  };
}

/** Without variables that point a program to logs and caches outside of its own HOME. */
function shellEnvironment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('XDG_')));
}

/** The built program with a configuration. */
export function startWorkbench({ env, directory }, configFile, { checkout = here('../..'), client } = {}) {
  const args = [programIn(checkout), '--config', configFile];
  return startClient({ command: process.execPath, args, env, cwd: directory }, client);
}

function startFloor(mode, { env, directory }, configFile) {
  return startClient({
    command: process.execPath,
    args: [here('../floor.mjs'), mode],
    env: { ...env, WORKBENCH_CONFIG: configFile },
    cwd: directory,
  });
}

const middles = {
  'floor-meta': (workspace, configFile) => startFloor('meta', workspace, configFile),
  'floor-splice': (workspace, configFile) => startFloor('splice', workspace, configFile),
  workbench: startWorkbench,
};

/** `direct`, a client connected straight to the servers; two floors, see floor.mjs; `workbench`; `before`, if there is one. */
export const systemNames = ['direct', ...Object.keys(middles)];

/** The path of calls through a host, and its floor; a scenario has to ask for them. */
export const hostNames = ['floor-host', 'shared'];
middles['floor-host'] = (workspace, configFile) => startFloor('host', workspace, configFile);
middles.shared = (workspace, configFile) =>
  startWorkbench({ ...workspace, env: { ...workspace.env, WORKBENCH_SHARED: '1' } }, configFile);

/** Measures the program built in another checkout of this project as well, as `before`. */
export function compareWith(checkout) {
  middles.before = (workspace, configFile) => startWorkbench(workspace, configFile, { checkout });
  systemNames.push('before');
  programIn(checkout);
}

/** Whether there is a `before`. */
export function hasBefore() {
  return 'before' in middles;
}

/**
 * A system in front of `servers`, with a home of its own. All have the same methods: start() spawns; list() resolves when
 * the first `tools/list` is answered; then open(), call(server, tool, args), pid() and close(). Systems of ours take the field `result`
 * of `use_tool` as well. Toolboxes in `others` are configured and not used.
 */
export function createSystem(name, servers, { inherit, others = {} } = {}) {
  const workspace = createWorkspace({ inherit });
  programIn(here('../..'));
  const bench = { description: 'Servers to measure', mcpServers: servers };
  const configFile = workspace.writeConfig({ toolboxes: { [toolbox]: bench, ...others } });
  const system = name === 'direct' ? direct(servers, workspace) : behind(() => middles[name](workspace, configFile));
  return {
    ...system,
    async close() {
      await system.close();
      workspace.remove();
    },
  };
}

function direct(servers, { env, directory }) {
  const clients = new Map();
  return {
    start() {
      for (const [name, { command, args }] of Object.entries(servers))
        clients.set(name, startClient({ command, args, env, cwd: directory }));
    },
    async list() {
      await Promise.all(
        Array.from(clients.values(), async (client) => {
          await client.initialize();
          await client.listTools();
        }),
      );
    },
    // There is no proxy: connecting is opening.
    open: () => Promise.resolve(),
    call: (server, tool, args) => clients.get(server).callTool(tool, args).then(good),
    pid: () => undefined,
    async close() {
      await Promise.all(Array.from(clients.values(), (client) => client.close()));
    },
  };
}

function behind(startMiddle) {
  let client;
  return {
    start() {
      client = startMiddle();
    },
    async list() {
      await client.initialize();
      await client.listTools();
    },
    open: () => client.callTool('open_toolbox', { toolbox }).then(good),
    call: (server, name, args, result) =>
      client.callTool('use_tool', { tool: { toolbox, server, name }, arguments: args, result }).then(good),
    pid: () => client.pid,
    async close() {
      if (client === undefined) return;
      const servers = childrenOf(client.pid);
      await client.close();
      // A floor does not wait for its servers to exit; their exit must not disturb the next measurement.
      await until(() => !servers.some(isRunning), 1_000, 5);
    },
  };
}

function good(result) {
  if (result.isError) throw new Error(result.content[0].text);
  return result;
}

/** Runs `use` with a system, then closes it. */
export async function withSystem(system, use) {
  try {
    return await use(system);
  } finally {
    await system.close();
  }
}

/** Runs `use` with a Map of several started systems, then closes them. */
export async function whileUp(systems, use) {
  try {
    await Promise.all(
      Array.from(systems.values(), async (system) => {
        system.start();
        await system.list();
      }),
    );
    return await use(systems);
  } finally {
    await Promise.all(Array.from(systems.values(), (system) => system.close()));
  }
}

/** The same, by name, each in front of the same servers and with the toolbox open. */
export function whileOpen(names, servers, options, use) {
  const systems = new Map(names.map((name) => [name, createSystem(name, servers, options)]));
  return whileUp(systems, async () => {
    await Promise.all(Array.from(systems.values(), (system) => system.open()));
    return use(systems);
  });
}
