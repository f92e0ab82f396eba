import { attackNames, fakeServer, hostileServer } from '../rig/systems.mjs';

/** The servers under load. Mortal ones are killed at random; the others must not be affected. */
const plan = {
  files: {
    quick: {},
    bulky: { flags: ['--tools', 50] },
    /** Its results over a megabyte are refused. */
    narrow: { settings: { maxResultBytes: 1_000_000 } },
    mortal: { mortal: true },
    'mortal with a helper': { mortal: true, flags: ['--helper'] },
  },
  web: {
    quick: {},
    /** Has a short call timeout. */
    hasty: { settings: { callTimeoutMs: 500 } },
    /** Is stopped after an idle second. */
    sleepy: { settings: { idleTimeoutMs: 1_000 } },
    'slow to start': { flags: ['--start-ms', 300] },
    mortal: { mortal: true },
    'mortal and slow': { mortal: true, flags: ['--start-ms', 300] },
  },
  steady: { one: {}, two: { flags: ['--helper'] } },
};

export const servers = Object.entries(plan).flatMap(([toolbox, entries]) =>
  Object.entries(entries).map(([server, { mortal = false }]) => ({ toolbox, server, mortal })),
);

/** One server for each attack, in a toolbox of their own. */
export const hostileServers = attackNames().map((attack) => ({ toolbox: 'hostile', server: attack }));

/** Every server has the marker in its environment, and so has every process it starts. */
export function soakConfig(logFile, [markerName, marker]) {
  const toolboxes = {};
  for (const [toolbox, entries] of Object.entries(plan)) {
    const mcpServers = {};
    for (const [server, { flags = [], settings = {} }] of Object.entries(entries)) {
      const entry = fakeServer('--name', `${toolbox}/${server}`, '--log', logFile, ...flags);
      mcpServers[server] = { ...entry, env: { [markerName]: marker }, ...settings };
    }
    toolboxes[toolbox] = { description: `Servers under load: ${toolbox}`, mcpServers };
  }
  const env = { [markerName]: marker };
  const entries = hostileServers.map(({ server }) => [
    server,
    { ...hostileServer([server]), env, idleTimeoutMs: 1_000 },
  ]);
  toolboxes.hostile = { description: 'Hostile servers', mcpServers: Object.fromEntries(entries) };
  return { toolboxes };
}
