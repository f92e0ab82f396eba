import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { opened, text } from '../support/agents.js';
import { connectAgent, endEngine } from '../support/in-process.js';
import { linuxOnly } from '../support/platform.js';
import { scriptedServersWith } from '../support/processes.js';
import { fixtureWith } from '../support/servers.js';
import { until } from '../support/until.js';

linuxOnly('processes in /proc, the log directory of Linux');

const names = ['__proto__', 'constructor', 'a__b', '10', 'ü/✓ name', '..', 'a/../b', 'con', '%2E', '🧰'];
const tools = [...names, 'crash', 'hang'];

const config = (settings: object = {}) => ({
  toolboxes: new Map(
    names.map((name) => [
      name,
      {
        description: `The toolbox ${name}`,
        mcpServers: new Map([
          [name, { ...fixtureWith(tools), ...settings }],
          [`${name} (broken)`, { command: 'no-such-program' }],
        ]),
      },
    ]),
  ),
});

describe('a name shared by toolbox, server and tool works', () => {
  test('when the toolbox is opened, and when the tool is used, missing, crashing and late', {
    timeout: 60_000,
  }, async () => {
    const agent = await connectAgent('v2 modern', { config: config({ callTimeoutMs: 4_000 }) });
    await Promise.all(
      names.map(async (name) => {
        const { toolbox, description, servers_connected, tools: listed, unavailable } = opened(await agent.open(name));
        expect({ toolbox, description, servers_connected }).toEqual({
          toolbox: name,
          description: `The toolbox ${name}`,
          servers_connected: 1,
        });
        expect(listed.map((tool) => [tool.toolbox, tool.server, tool.name])).toEqual(
          tools.map((tool) => [name, name, tool]),
        );
        expect(unavailable?.map(({ server }) => server)).toEqual([`${name} (broken)`]);

        const use = async (tool: string, args: object) => text(await agent.use(name, name, tool, args));
        const odd = `{"__proto__":{"a":1},"constructor":2,"10":3,${JSON.stringify(name)}:4}`;
        const call = agent.call('use_tool', { tool: { toolbox: name, server: name, name }, arguments: odd });
        expect(text(await call)).toBe(JSON.stringify(JSON.parse(odd)));
        expect(await use('nowhere', {})).toMatch(`Tool 'nowhere' not found in server '${name}' (toolbox '${name}')`);
        const failed = (tool: string) => `Tool '${tool}' of server '${name}' (toolbox '${name}') failed: `;
        expect(await use('hang', {})).toContain(`${failed('hang')}no answer within 4000 ms`);
        expect(await use('crash', { with: 7 })).toContain(`${failed('crash')}it exited with code 7`);
        expect(await use(name, { works: 'again' })).toBe('{"works":"again"}');
        expect(text(await agent.use(name, `${name} (broken)`, name))).toContain(
          `Failed to connect to server '${name} (broken)' in toolbox '${name}': `,
        );
      }),
    );
    expect(scriptedServersWith(agent.marker)).toHaveLength(names.length);
  });

  test('its log file is in its own folder', async () => {
    const agent = await connectAgent('v2 legacy', { config: config() });
    await Promise.all(names.map((name) => agent.open(name)));
    await agent.close();
    await endEngine();
    const logs = join(agent.dir, 'home', '.local', 'state', 'mcp-workbench', 'logs');
    const folders = await until(() => {
      // Beside the workbench's own.
      const found = readdirSync(logs).filter((name) => name !== 'workbench.log');
      return found.length === names.length && found;
    });
    for (const folder of folders) {
      const name = decodeURIComponent(folder);
      expect(names).toContain(name);
      expect(
        readdirSync(join(logs, folder))
          .map((file) => decodeURIComponent(file))
          .sort(),
      ).toEqual([`${name} (broken).log`, `${name}.log`].sort());
    }
    // No name led out of the folder. The text of the configuration is kept beside it, a second after the start.
    expect(readdirSync(join(logs, '..')).filter((name) => name !== 'last-good')).toEqual(['logs']);
  });
});
