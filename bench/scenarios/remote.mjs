import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onLine } from '../rig/lines.mjs';
import { cpuMs } from '../rig/processes.mjs';
import { atMost, fixed, table } from '../rig/report.mjs';
import { median, percentile } from '../rig/statistics.mjs';
import { createSystem, hasBefore } from '../rig/systems.mjs';
import { interleave } from '../rig/traffic.mjs';

const kinds = ['modern/json', 'modern/events', 'legacy/json', 'legacy/events'];
const counts = { calls: 4_000, perBlock: 50, warmUp: 2_000 };
const bytes = 100;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** What a call of a remote server costs, beside the SDK's own client that makes the same call. */
export async function remote({ quick, inherit }) {
  const server = startProgram(here('../http-server.mjs'));
  try {
    const port = Number(await server.line());
    const rows = [];
    for (const kind of kinds) {
      const url = `http://127.0.0.1:${port}/${kind}`;
      rows.push({ kind, seen: await measure(url, { inherit, fraction: quick ? 5 : 1 }) });
    }
    return report(rows);
  } finally {
    await server.close();
  }
}

async function measure(url, { inherit, fraction }) {
  const names = ['workbench', ...(hasBefore() ? ['before'] : [])];
  const callers = new Map([['sdk', sdkCaller(url)]]);
  for (const name of names) callers.set(name, workbenchCaller(name, url, inherit));
  try {
    for (const caller of callers.values()) await caller.run(counts.warmUp / fraction);
    const blocks = await interleave([...callers.keys()], counts.calls / fraction / counts.perBlock, async (name) => {
      const caller = callers.get(name);
      const before = cpuMs(caller.pid());
      const ms = await caller.run(counts.perBlock);
      return { ms, cpu: (cpuMs(caller.pid()) - before) / ms.length };
    });
    return new Map(
      Array.from(blocks, ([name, list]) => [
        name,
        { ms: list.flatMap(({ ms }) => ms), cpuPerCall: median(list.map(({ cpu }) => cpu)) },
      ]),
    );
  } finally {
    for (const caller of callers.values()) await caller.close();
  }
}

/** `run` makes calls one at a time, and returns how long each took. */
function sdkCaller(url) {
  const program = startProgram(here('../sdk-caller.mjs'), url);
  return {
    pid: () => program.pid,
    async run(calls) {
      program.write(`${calls}\n`);
      return JSON.parse(await program.line());
    },
    close: () => program.close(),
  };
}

function workbenchCaller(name, url, inherit) {
  const system = createSystem(name, { server: { url } }, { inherit });
  let opening;
  async function open() {
    system.start();
    await system.list();
    await system.open();
  }
  return {
    pid: () => system.pid(),
    async run(calls) {
      await (opening ??= open());
      const ms = [];
      for (let done = 0; done < calls; done++) {
        const begun = performance.now();
        await system.call('server', 'blob', { bytes });
        ms.push(performance.now() - begun);
      }
      return ms;
    },
    close: () => system.close(),
  };
}

function startProgram(...args) {
  // The SDK's client makes Node.js warn of listeners on its signal; to print that is not its work.
  const child = spawn(process.execPath, ['--no-warnings', ...args], {
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const lines = [];
  const waiting = [];
  onLine(child.stdout, (line) => {
    const next = waiting.shift();
    if (next === undefined) lines.push(String(line));
    else next(String(line));
  });
  return {
    pid: child.pid,
    write: (text) => child.stdin.write(text),
    line: () =>
      lines.length > 0
        ? Promise.resolve(lines.shift())
        : new Promise((resolve, reject) => {
            waiting.push(resolve);
            void exited.then(() => reject(new Error(`${args[0]} ended`)));
          }),
    async close() {
      child.stdin.end();
      await exited;
      process.off('exit', kill);
    },
  };
}

function report(rows) {
  const p50 = ({ seen }, name) => median(seen.get(name).ms);
  const cpu = ({ seen }, name) => seen.get(name).cpuPerCall;
  const ratio = (figure, row, name) => figure(row, name) / figure(row, 'sdk');
  return {
    title: 'Remote servers',
    parts: [
      'One call of 100 B at a time over HTTP on the loopback interface, in blocks that alternate. `sdk`: `Client.callTool` of ' +
        '`@modelcontextprotocol/client` over its `StreamableHTTPClientTransport`, from call to result inside that process. ' +
        '`workbench`: `use_tool`, from the request of an agent on stdio to the result on stdio, with the same server behind. ' +
        'CPU is that of the process of the SDK, or of the workbench, medians over the blocks:',
      table(
        rows.flatMap((row) =>
          Array.from(row.seen, ([name, { ms }]) => ({
            server: row.kind.replace('/', ', '),
            system: name,
            calls: ms.length,
            'p50 ms': fixed(p50(row, name), 3),
            'p95 ms': fixed(percentile(ms, 0.95), 3),
            'p50 × sdk': fixed(ratio(p50, row, name), 2),
            'CPU ms per call': fixed(cpu(row, name), 3),
            'CPU × sdk': fixed(ratio(cpu, row, name), 2),
          })),
        ),
      ),
    ],
    checks: rows.flatMap((row) => [
      atMost(`call 100 B over HTTP, ${row.kind.replace('/', ', ')}, p50, × sdk`, ratio(p50, row, 'workbench'), 1.3),
      atMost(`call 100 B over HTTP, ${row.kind.replace('/', ', ')}, CPU, × sdk`, ratio(cpu, row, 'workbench'), 1.3),
    ]),
  };
}
