import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startClient } from './client.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const floor = here('../floor.mjs');

let program;

/** A copy of the built program: a build or a test run during a measurement replaces the original. */
function copyProgram() {
  const directory = mkdtempSync(join(tmpdir(), 'mcp-workbench-copy-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  for (const name of ['dist', 'package.json'])
    cpSync(here(`../../${name}`), join(directory, name), { recursive: true });
  return join(directory, 'dist', 'main.js');
}

/** The one toolbox that every scenario uses. */
const toolbox = 'bench';

/** An entry for the fake server with these manners; see fake-server.mjs. */
export function fakeServer(...flags) {
  return { command: process.execPath, args: [here('../fake-server.mjs'), ...flags.map(String)] };
}

export function createWorkspace() {
  const directory = mkdtempSync(join(tmpdir(), 'mcp-workbench-bench-'));
  return {
    directory,
    // Little else: some variables, such as NODE_EXTRA_CA_CERTS, add to the start of every Node.js process and hide the
    // differences. Logs of the servers go below HOME.
    env: { PATH: process.env.PATH, HOME: directory },
    writeConfig(config) {
      const path = join(directory, 'workbench-config.json');
      writeFileSync(path, JSON.stringify(config));
      return path;
    },
    remove: () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** The built program on a configuration. */
export function startWorkbench({ env, directory }, configFile) {
  program ??= copyProgram();
  return startClient({ command: process.execPath, args: [program, '--config', configFile], env, cwd: directory });
}

/**
 * What can be measured: `direct`, a client connected straight to the servers; `floor`, the least that a process in the
 * middle with the same two tools can be; `workbench`. All are used alike:
 * start(servers) → { list(), open(), call(server, tool, args), pid, close() }.
 */
export const systems = {
  direct: (servers, workspace) => direct(servers, workspace),
  floor: (servers, workspace) => {
    const env = { ...workspace.env, WORKBENCH_CONFIG: writeServers(servers, workspace) };
    return behind(() => startClient({ command: process.execPath, args: [floor], env, cwd: workspace.directory }));
  },
  workbench: (servers, workspace) => {
    const configFile = writeServers(servers, workspace);
    program ??= copyProgram();
    return behind(() => startWorkbench(workspace, configFile));
  },
};

function writeServers(mcpServers, workspace) {
  return workspace.writeConfig({ toolboxes: { [toolbox]: { description: 'Servers to be measured', mcpServers } } });
}

function direct(servers, { env, directory }) {
  const clients = new Map();
  return {
    start() {
      for (const [name, { command, args }] of Object.entries(servers))
        clients.set(name, startClient({ command, args, env, cwd: directory }));
    },
    async open() {
      await Promise.all(
        Array.from(clients.values(), async (client) => {
          await client.initialize();
          await client.listTools();
        }),
      );
    },
    call: (server, tool, args) => clients.get(server).callTool(tool, args),
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
    async open() {
      await client.initialize();
      const { content, isError } = await client.callTool('open_toolbox', { toolbox });
      if (isError) throw new Error(content[0].text);
    },
    call: (server, name, args) => client.callTool('use_tool', { tool: { toolbox, server, name }, arguments: args }),
    pid: () => client.pid,
    close: () => client.close(),
  };
}

/**
 * Runs `measure(system)` for every system once per round, in turns, so that whatever else the machine does meets all of
 * them alike; every second round goes backwards. Gives the values of each system by name.
 */
export async function interleave(names, rounds, measure) {
  const values = new Map(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? names : names.toReversed();
    for (const name of order) values.get(name).push(await measure(name));
  }
  return values;
}
