import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { installApart } from '../../scripts/install-apart.mjs';
import { onLine } from '../rig/lines.mjs';
import { atMost, fixed, table } from '../rig/report.mjs';
import { servePage } from '../rig/synthetic-page.mjs';
import { createWorkspace, fakeServer, programCopy, startWorkbench } from '../rig/systems.mjs';
import { pause, until } from '../rig/wait.mjs';

const browserFolder = fileURLToPath(new URL('../../test/system/', import.meta.url));
const amounts = { servers: 50, tools: 500, calls: 2_000 };
const mostScriptMs = 50;
const callsPerSecond = 100;
const roundSeconds = 5;
const mostWatchedShare = 1;

/** What an update costs the browser, and what being watched costs a session. Needs Chromium. */
export async function page({ quick, inherit }) {
  const browser = await inBrowser(quick ? 10 : 40);
  const session = await whenWatched(quick ? 2 : 8, inherit);
  return {
    title: 'The page',
    parts: [
      `An update with ${amounts.servers} servers, ${amounts.tools} tools and ${amounts.calls} calls, of which 20 are new, in ms of Chromium:`,
      table(
        browser.map(({ view, script, layout }) => ({
          view,
          script: fixed(script, 1),
          'style and layout': fixed(layout, 1),
        })),
      ),
      `The processor time of a session at ${callsPerSecond} calls per second, in percent of a core, the least of ${session.rounds} rounds of ${roundSeconds} s:`,
      table([session].map(({ off, on }) => ({ 'not watched': fixed(off, 2), watched: fixed(on, 2) }))),
    ],
    checks: [
      atMost('script of an update of the page, ms', Math.max(...browser.map(({ script }) => script)), mostScriptMs, 1),
      atMost('a session that is watched, more % of a core', Math.max(0, session.on - session.off), mostWatchedShare, 2),
    ],
  };
}

async function inBrowser(updates) {
  installApart(browserFolder);
  const { chromium } = createRequire(browserFolder)('playwright-core');
  const served = await servePage(amounts);
  const args = ['--no-sandbox', '--disable-gpu'];
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', headless: true, args });
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
    const tab = await context.newPage();
    await tab.goto(served.address);
    await tab.waitForSelector('svg.lane');
    const devtools = await context.newCDPSession(tab);
    await devtools.send('Performance.enable');
    const results = [];
    for (const view of ['board', 'tools', 'calls']) {
      await tab.evaluate((wanted) => void (location.hash = wanted), view);
      await pause(500);
      results.push({ view, ...(await costOf(devtools, updates, () => served.update())) });
    }
    return results;
  } finally {
    await browser.close();
    served.close();
  }
}

/** In ms per update. The page also draws once a second by itself, which counts as well. */
async function costOf(devtools, updates, update) {
  const seconds = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    const of = (wanted) => metrics.find(({ name }) => name === wanted).value;
    return { script: of('ScriptDuration'), layout: of('LayoutDuration') + of('RecalcStyleDuration') };
  };
  const before = await seconds();
  for (let done = 0; done < updates; done++) {
    update();
    await pause(150);
  }
  const after = await seconds();
  const each = (name) => ((after[name] - before[name]) * 1_000) / updates;
  return { script: each('script'), layout: each('layout') };
}

/** Watched and not, in turns: a machine is not equally fast all the time. */
async function whenWatched(rounds, inherit) {
  const workspace = createWorkspace({ inherit });
  const toolbox = { description: 'Servers to measure', mcpServers: { server: fakeServer() } };
  const config = workspace.writeConfig({ toolboxes: { bench: toolbox } });
  const session = startWorkbench(workspace, config);
  const tool = { toolbox: 'bench', server: 'server', name: 'blob' };
  const call = () => session.callTool('use_tool', { tool, arguments: { bytes: 100 } });
  try {
    await session.initialize();
    for (let done = 0; done < 2_000; done++) await call();
    const [off, on] = [[], []];
    for (let round = 0; round < rounds; round++) {
      off.push(await shareOf(session.pid, call));
      const close = await watch(workspace, config);
      on.push(await shareOf(session.pid, call));
      await close();
    }
    // Whatever else runs on the machine only adds to it.
    return { rounds, off: Math.min(...off), on: Math.min(...on) };
  } finally {
    await session.close();
    workspace.remove();
  }
}

/** A browser that has the page open. Returns what ends it. */
async function watch({ env, directory }, config) {
  const args = [programCopy(), 'page', '--no-browser', '--config', config];
  const program = spawn(process.execPath, args, { env, cwd: directory, stdio: ['ignore', 'pipe', 'ignore'] });
  let address;
  onLine(program.stdout, (line) => (address ??= line.toString()));
  await until(() => address !== undefined, 10_000);
  const { origin, hash } = new URL(address);
  const abort = new AbortController();
  const headers = { Authorization: `Bearer ${hash.slice(1)}` };
  const { body } = await fetch(`${origin}/api/live`, { headers, signal: abort.signal });
  let heard = 0;
  const read = (async () => {
    for await (const chunk of body) heard += Buffer.from(chunk).toString('latin1').split('"tool":"blob"').length - 1;
  })().catch(() => {});
  await pause(1_000);
  const before = heard;
  return async () => {
    // Otherwise the cost of nothing would have been measured.
    if (heard - before < (roundSeconds * callsPerSecond) / 2)
      throw new Error(`the page was sent ${heard - before} calls`);
    abort.abort();
    await read;
    program.kill('SIGINT');
    await once(program, 'exit');
  };
}

/** Percent of a core while calls are made at a steady rate. */
async function shareOf(pid, call) {
  const begun = performance.now();
  const before = processorNs(pid);
  for (let done = 0; done < roundSeconds * callsPerSecond; done++) {
    const early = begun + (done * 1_000) / callsPerSecond - performance.now();
    if (early > 0) await pause(early);
    await call();
  }
  return (processorNs(pid) - before) / (performance.now() - begun) / 10_000;
}

/** Of all its threads. */
function processorNs(pid) {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks.reduce(
    (sum, task) => sum + Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]),
    0,
  );
}
