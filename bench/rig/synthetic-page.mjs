import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRandom } from './statistics.mjs';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
const endings = new Map([
  ['/', ['html', 'text/html']],
  ['/page.css', ['css', 'text/css']],
  ['/page.js', ['browser.js', 'text/javascript']],
  ['/icon.svg', ['svg', 'image/svg+xml']],
]);
const halfHourMs = 1_800_000;
const random = createRandom(1);

/** The files of the page, with data as of a very busy user: `update()` sends a change to the browser, as the program does. */
export async function servePage({ servers, tools, calls }) {
  let live;
  let lastId = 0;
  const callOf = (at) => ({
    ...{ id: ++lastId, at, client: 'bench', toolbox: `toolbox-${lastId % 5}`, server: `server-${lastId % servers}` },
    ...{ tool: `tool_${lastId % tools}`, ms: random.between(1, 5_000), sent: 200, received: 4_000 },
    outcome: lastId % 20 === 0 ? 'error' : 'ok',
  });
  const board = () => boardOf(servers, tools / servers);
  const all = () => {
    const now = Date.now();
    return Array.from({ length: calls }, (_, index) => callOf(now - halfHourMs + (index * halfHourMs) / calls));
  };
  const server = createServer(({ url }, response) => {
    const [ending, type] = endings.get(url) ?? [];
    if (ending === undefined) {
      live = response;
      send(live, { is: 'board', board: board() });
      send(live, { is: 'tools', tools: toolsOf(servers, tools) });
      send(live, { is: 'calls', calls: all(), isAll: true });
      return;
    }
    const name = readdirSync(dist).find(
      (file) => file.startsWith('page-') && file.slice('page-'.length + 9) === ending,
    );
    response.writeHead(200, { 'Content-Type': type }).end(readFileSync(join(dist, name)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${server.address().port}/#${'A'.repeat(22)}`,
    update() {
      send(live, { is: 'board', board: board() });
      send(live, { is: 'calls', calls: Array.from({ length: 20 }, () => callOf(Date.now())), isAll: false });
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function send(response, message) {
  response?.write(`${JSON.stringify(message)}\n`);
}

function boardOf(servers, tools) {
  const now = Date.now();
  const rows = Array.from({ length: servers }, (_, index) => ({
    ...{
      toolbox: `toolbox-${index % 5}`,
      server: `server-${index}`,
      state: 'awake',
      since: now - 600_000,
      clients: ['bench'],
    },
    ...{ tools, tokens: 2_000, processes: 1, memory: random.between(50_000_000, 100_000_000), software: 'fake 1' },
    lives: [
      { from: now - 1_500_000, ready: now - 1_499_000, to: now - 1_000_000 },
      { from: now - 600_000, ready: now - 599_000 },
    ],
  }));
  const toolboxes = Array.from({ length: 5 }, (_, index) => ({
    ...{ name: `toolbox-${index}`, description: 'Servers to show' },
    servers: rows.filter(({ toolbox }) => toolbox === `toolbox-${index}`),
  }));
  const sessions = [{ client: 'bench', pid: 1, since: now }];
  return {
    now,
    version: '0',
    config: '/x',
    expected: '/x',
    begin: [],
    problems: [],
    startTokens: 600,
    sessions,
    toolboxes,
  };
}

function toolsOf(servers, tools) {
  return Array.from({ length: tools }, (_, index) => ({
    ...{
      toolbox: `toolbox-${index % 5}`,
      server: `server-${index % servers}`,
      name: `tool_${index}`,
      marks: ['read-only'],
    },
    ...{
      about: 'Does something with a thing that is described here in one sentence.',
      tokens: random.between(50, 900),
    },
  }));
}
