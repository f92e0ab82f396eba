import { atMost, fixed, table } from '../rig/report.mjs';
import { median } from '../rig/statistics.mjs';
import { createSystem, fakeServer, manyServers, whileUp, withSystem } from '../rig/systems.mjs';
import { inBlocks, interleave } from '../rig/traffic.mjs';

const serverCounts = [1, 100, 300];
const toolCounts = [10, 1_000, 10_000];
const perToolbox = 10;
/** The built-in tools of the fake server. */
const ownTools = 6;

/** Whether the start and a call cost more when more is configured. Only one server is used. */
export async function growth({ quick, inherit }) {
  const starts = await interleave(serverCounts, quick ? 7 : 31, (count) => timeToList(count, inherit));
  const counts = { calls: quick ? 1_000 : 6_000, perBlock: 50, warmUp: quick ? 500 : 3_000 };
  const measured = (systems) =>
    whileUp(systems, () => inBlocks(systems, counts, (system) => system.call('server-0', 'blob', { bytes: 100 })));
  const byServers = await measured(
    new Map(serverCounts.map((count) => [count, workbenchWith(count, fakeServer(), inherit)])),
  );
  const byTools = await measured(
    new Map(toolCounts.map((count) => [count, workbenchWith(1, fakeServer('--tools', count - ownTools), inherit)])),
  );
  return report(starts, byServers, byTools);
}

function timeToList(count, inherit) {
  return withSystem(workbenchWith(count, fakeServer(), inherit), async (system) => {
    const begun = performance.now();
    system.start();
    await system.list();
    return performance.now() - begun;
  });
}

/** A configuration with this many servers, in toolboxes of ten. */
function workbenchWith(count, entry, inherit) {
  const others = {};
  for (let rest = count - perToolbox; rest > 0; rest -= perToolbox) {
    const mcpServers = manyServers(Math.min(rest, perToolbox), entry);
    others[`toolbox-${rest}`] = { description: 'Servers that are not used', mcpServers };
  }
  return createSystem('workbench', manyServers(Math.min(count, perToolbox), entry), { inherit, others });
}

function report(starts, byServers, byTools) {
  const p50 = (seen, count) => median(seen.get(count).ms);
  const callColumns = (seen, count, least) => ({
    'call p50 ms': fixed(p50(seen, count), 3),
    [`call × ${least}`]: fixed(p50(seen, count) / p50(seen, least), 2),
    'CPU ms per call': fixed(seen.get(count).cpuPerCall, 3),
  });
  const startMs = (count) => median(starts.get(count));
  return {
    title: 'Growth',
    parts: [
      `Configured servers, in toolboxes of ${perToolbox}; one is used. From spawn to \`tools/list\`, and a call of 100 B:`,
      table(
        serverCounts.map((count) => ({
          servers: count,
          'start ms': fixed(startMs(count), 1),
          'start × 1': fixed(startMs(count) / startMs(1), 2),
          ...callColumns(byServers, count, 1),
        })),
      ),
      'Tools of one server, used without opening it:',
      table(toolCounts.map((count) => ({ tools: count, ...callColumns(byTools, count, 10) }))),
    ],
    checks: [
      // 7 ms: the file is read and described before the first answer.
      atMost('spawn → `tools/list`, 100 servers × 1', startMs(100) / startMs(1), 1.25),
      atMost('call 100 B, 300 servers × 1', p50(byServers, 300) / p50(byServers, 1), 1.15),
      atMost('call 100 B, 10,000 tools × 10', p50(byTools, 10_000) / p50(byTools, 10), 1.15),
    ],
  };
}
