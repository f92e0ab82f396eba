import { Agent } from 'node:http';
import { createHttpCaller, startFloor, startService } from '../rig/http-systems.mjs';
import { limits } from '../rig/limits.mjs';
import { proportionalMiB } from '../rig/processes.mjs';
import { atMost, fixed, table } from '../rig/report.mjs';
import { median, percentile } from '../rig/statistics.mjs';
import { createSystem, fakeServer, manyServers } from '../rig/systems.mjs';
import { inBlocks, inLanes } from '../rig/traffic.mjs';

const sizes = [
  { size: '100 B', bytes: 100, calls: 6_000, perBlock: 50, warmUp: 3_000 },
  { size: '100 KB', bytes: 100_000, calls: 2_000, perBlock: 50, warmUp: 500 },
];
const eras = ['legacy', 'modern'];

/** What `serve --http` costs, beside node:http before the same server and the SDK's server before the same workbench. */
export async function httpService({ quick }) {
  const service = await startService();
  const { command, args } = fakeServer();
  const bare = await startFloor('bare', command, ...args);
  const sdk = await startFloor('sdk', service.config);
  try {
    const systems = new Map([['bare', createHttpCaller(bare, 'legacy')]]);
    for (const era of eras) {
      systems.set(`sdk, ${era}`, createHttpCaller(sdk, era));
      systems.set(`workbench, ${era}`, createHttpCaller(service, era));
    }
    for (const system of systems.values()) await system.initialize();
    const rows = [];
    for (const { bytes, perBlock, calls, warmUp, size } of sizes) {
      const counted = { calls: calls / (quick ? 5 : 1), warmUp: warmUp / (quick ? 5 : 1), perBlock };
      rows.push({ size, seen: await inBlocks(systems, counted, (system) => system.call('server', 'blob', { bytes })) });
    }
    for (const system of systems.values()) system.close();
    return report(rows, { ...(await sessions()), ...(await memory()) });
  } finally {
    for (const one of [service, bare, sdk]) await one.close();
  }
}

/** Heap of legacy sessions, and many calls at once. */
async function sessions() {
  const count = 200;
  const opened = await startService(manyServers(10, fakeServer('--tools', 20)), { probesHeap: true });
  try {
    const agent = new Agent({ keepAlive: true, maxSockets: 50 });
    const clients = Array.from({ length: count }, (_, at) =>
      createHttpCaller(opened, 'legacy', { name: `client-${at}`, agent }),
    );
    const first = createHttpCaller(opened, 'legacy', { agent });
    await first.initialize();
    await first.call('server-0', 'blob', { bytes: 10 });
    // Connections are those of the client, not of its sessions.
    await inLanes(200, 50, () => first.call('server-0', 'blob', { bytes: 10 }));
    const heaps = [await opened.heapBytes()];
    const each = (act) => inLanes(count, 20, (one) => act(clients[one - 1]));
    await each((client) => client.initialize());
    heaps.push(await opened.heapBytes());
    await each((client) => client.call('server-0', 'blob', { bytes: 10 }));
    heaps.push(await opened.heapBytes());
    await each((client) => client.tool('open_toolbox', { toolbox: 'bench' }));
    heaps.push(await opened.heapBytes());
    let crossed = 0;
    const check = async (client, mark) => {
      const { id, body } = await client.call('server-0', 'blob', { bytes: 20, id: mark });
      const text = String(body);
      if (!text.includes(mark) || !text.includes(`"id":${id}`)) crossed++;
    };
    await Promise.all(Array.from({ length: 1_000 }, (_, at) => check(clients[at % count], `many-${at}-`)));
    const four = Array.from({ length: 4 }, (_, at) =>
      createHttpCaller(opened, 'legacy', { name: `equal-${at}`, agent }),
    );
    for (const one of four) await one.initialize();
    await inLanes(4_000, 64, (at) => check(four[at % 4], `equal-${at}-`));
    agent.destroy();
    const perSession = heaps.slice(1).map((heap) => (heap - heaps[0]) / 1_024 / count);
    return { perSession, crossed };
  } finally {
    await opened.close();
  }
}

/** Of one session after a call, beside one on stdio in process. */
async function memory() {
  const system = createSystem('workbench', { server: fakeServer() });
  system.start();
  await system.list();
  await system.open();
  for (let call = 0; call < 20; call++) await system.call('server', 'blob', { bytes: 100 });
  const fresh = await startService();
  const client = createHttpCaller(fresh, 'legacy');
  await client.initialize();
  for (let call = 0; call < 20; call++) await client.call('server', 'blob', { bytes: 100 });
  const [stdio, own] = [proportionalMiB([system.pid()]), proportionalMiB([fresh.pid])];
  client.close();
  await fresh.close();
  await system.close();
  return { stdioMiB: stdio, httpMiB: own };
}

function report(rows, { perSession, crossed, stdioMiB, httpMiB }) {
  const p50 = ({ seen }, name) => median(seen.get(name).ms);
  const cpu = ({ seen }, name) => seen.get(name).cpuPerCall;
  const [small, large] = rows;
  return {
    title: 'Agents over HTTP',
    parts: [
      'One call at a time over one connection on the loopback interface, in blocks that alternate. `bare`: `node:http` that ' +
        'parses the request, calls the same server and passes the line of its result on, and checks nothing. `sdk`: the ' +
        'server of `@modelcontextprotocol/server` before the same workbench as a library. CPU is that of the process:',
      table(
        rows.flatMap((row) =>
          Array.from(row.seen, ([name, { ms }]) => ({
            result: row.size,
            system: name,
            calls: ms.length,
            'p50 ms': fixed(p50(row, name), 3),
            'p95 ms': fixed(percentile(ms, 0.95), 3),
            'p50 × bare': fixed(p50(row, name) / p50(row, 'bare'), 2),
            'CPU ms per call': fixed(cpu(row, name), 3),
          })),
        ),
      ),
      `Heap in use that each of 200 legacy sessions adds, after a garbage collection: ${perSession.map((one) => fixed(one, 0)).join(', ')} KB after ` +
        '`initialize`, one call, and `open_toolbox` of ten servers with 21 tools each. With one session the process has ' +
        `${fixed(httpMiB, 1)} MiB, one on stdio that runs its servers itself ${fixed(stdioMiB, 1)} MiB.`,
    ],
    checks: [
      ...eras.map((era) =>
        atMost(
          `call 100 B, p50, ${era}, × bare`,
          p50(small, `workbench, ${era}`) / p50(small, 'bare'),
          limits.http.call100B[era],
        ),
      ),
      ...eras.map((era) =>
        atMost(
          `call 100 KB, p50, ${era}, × bare`,
          p50(large, `workbench, ${era}`) / p50(large, 'bare'),
          limits.http.call100KB,
        ),
      ),
      ...rows.flatMap((row) =>
        eras.map((era) =>
          atMost(
            `call ${row.size}, CPU, ${era}, × sdk`,
            cpu(row, `workbench, ${era}`) / cpu(row, `sdk, ${era}`),
            limits.http.cpuOfSdk,
          ),
        ),
      ),
      ...['after initialize', 'after a call', 'after open_toolbox'].map((when, at) =>
        atMost(`KB per legacy session, ${when}`, perSession[at], limits.http.perSessionKB[at]),
      ),
      atMost('calls that were crossed, of 5,000', crossed, 0),
      atMost('MiB over a session on stdio', httpMiB - stdioMiB, limits.http.overStdioMiB),
    ],
  };
}
