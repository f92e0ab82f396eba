// @module-tag slow
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { opened } from '../support/agents.js';
import { devToolbox, type ServerEntry } from '../support/configs.js';
import { areAllAlone, endHosts, runnerOf } from '../support/hosts.js';
import { throughNpx } from '../support/npx-package.js';
import { linuxOnly } from '../support/platform.js';
import { allProcesses, type Process, processesWith } from '../support/processes.js';
import { fixture } from '../support/servers.js';
import { startStopwatch } from '../support/stopwatch.js';
import { until } from '../support/until.js';
import { initialize, type RunningWorkbench, startWorkbench } from '../support/workbench.js';

linuxOnly('signals, processes in /proc');

/** How the server is started, and what it starts in turn. */
const kinds: Record<string, (...flags: string[]) => ServerEntry> = {
  node: (...flags) => fixture(...flags, '--helper', 'child'),
  npx: throughNpx,
  // Not `exec`: the shell stays between the workbench and the server.
  'sh -c': (...flags) => ({ command: 'sh', args: ['-c', '"$0" "$@"; exit $?', ...commandLine(fixture(...flags))] }),
  'double fork': (...flags) => fixture(...flags, '--helper', 'double-fork'),
  setsid: (...flags) => fixture(...flags, '--helper', 'setsid'),
  'a session of its own': (...flags) => ({ command: 'setsid', args: ['--wait', ...commandLine(fixture(...flags))] }),
};

const behaviours: Record<string, string[]> = {
  'obeys EOF': [],
  'ignores EOF': ['--ignore-eof'],
  'ignores SIGTERM': ['--ignore-eof', '--ignore-sigterm'],
};

/** How a session ends, what runs its servers, and within which time they end. A host waits 5 s for another session. */
const ends: Record<string, { alone: boolean; figureMs: number; die: (workbench: RunningWorkbench) => void }> = {
  'SIGTERM to a session of a host': {
    ...{ alone: areAllAlone, figureMs: 15_000 },
    die: (workbench) => workbench.kill('SIGTERM'),
  },
  'the client closing stdin of a session of its own': {
    ...{ alone: true, figureMs: 10_000 },
    die: (workbench) => workbench.end(),
  },
  'kill -9 of a session of its own': {
    ...{ alone: true, figureMs: 10_000 },
    die: (workbench) => workbench.kill('SIGKILL'),
  },
};

function commandLine({ command = '', args = [] }: ServerEntry): string[] {
  return [command, ...args];
}

/** Every combination but two of the slow npx, all in one toolbox; a variable of each process names its case. */
function everyCase(): Map<string, ServerEntry> {
  const cases = new Map<string, ServerEntry>();
  for (const [kind, entry] of Object.entries(kinds)) {
    for (const [behaviour, flags] of Object.entries(behaviours)) {
      if (kind === 'npx' && behaviour !== 'ignores SIGTERM') continue;
      const made = entry(...flags);
      const name = `${kind}, ${behaviour}`;
      cases.set(name, { ...made, env: { ...made.env, ORPHAN_CASE: name } });
    }
  }
  return cases;
}

interface Started extends Process {
  readonly belongsTo: string;
}

/** All processes of the workbench: itself, its host, its servers, their descendants, and the watchdog. */
function startedBy(workbench: RunningWorkbench): Started[] {
  const marked = processesWith(workbench.marker);
  const runner = runnerOf(workbench);
  const others = allProcesses().filter(
    ({ pid, parent }) => [pid, parent].includes(runner) && !marked.some((process) => process.pid === pid),
  );
  return [...marked, ...others].map((process) => ({ ...process, belongsTo: caseOf(process) }));
}

function caseOf({ pid, command }: Process): string {
  const [, name] = /\0ORPHAN_CASE=([^\0]*)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8')) ?? [];
  return name ?? command;
}

async function open(workbench: RunningWorkbench) {
  await initialize(workbench);
  const { result } = await workbench.request('tools/call', {
    name: 'open_toolbox',
    arguments: { toolbox: 'dev' },
  });
  return opened(result as never);
}

/** Zombies count as left: the process id itself must be gone. */
function left(processes: readonly Started[]): string[] {
  return processes
    .filter(({ pid }) => existsSync(`/proc/${pid}`))
    .map(({ pid, belongsTo, command }) => `${belongsTo}: ${pid} ${command} ${stateOf(pid)}`);
}

function stateOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
  } catch {
    return 'gone';
  }
}

describe.each(Object.entries(ends))('after %s', (end, { alone, figureMs, die }) => {
  test('no process of any server is left in time, whatever it started and however stubborn it is', {
    timeout: 60_000,
  }, async () => {
    const cases = everyCase();
    const workbench = startWorkbench({ config: devToolbox(cases), alone });
    const { servers_connected, unavailable } = await open(workbench);
    expect(unavailable).toBeUndefined();
    expect(servers_connected).toBe(cases.size);
    const started = await until(() => {
      const all = startedBy(workbench);
      // The server itself, and its launcher or its child.
      const count = (name: string) => all.filter(({ belongsTo }) => belongsTo === name).length;
      return [...cases.keys()].every((name) => count(name) >= 2) && all;
    });

    const elapsed = startStopwatch();
    die(workbench);
    const gone = () => left(started).length === 0 && processesWith(workbench.marker).length === 0;
    await until(gone).catch(() => {});
    const ms = elapsed();
    expect(left(started)).toEqual([]);
    expect(processesWith(workbench.marker)).toEqual([]);
    expect(ms).toBeLessThan(figureMs);
    if (!end.startsWith('kill -9')) expect((await workbench.exited).code).toBe(0);
  });

  test('no process is left of a server that was still starting', async () => {
    const config = devToolbox({
      mute: fixture(
        '--never-answer',
        '--on-probe',
        'silence',
        '--ignore-eof',
        '--ignore-sigterm',
        '--helper',
        'setsid',
      ),
    });
    const workbench = startWorkbench({ config, alone });
    await initialize(workbench);
    workbench.send({
      id: 'open',
      method: 'tools/call',
      params: { name: 'open_toolbox', arguments: { toolbox: 'dev' } },
    });
    const started = await until(() => {
      const all = startedBy(workbench);
      return all.some(({ command }) => command === 'sleep 3600') && all;
    });
    die(workbench);
    await until(() => left(started).length === 0).catch(() => {});
    expect(left(started)).toEqual([]);
  });
});

test.each(['SIGINT', 'SIGHUP'] as const)(
  '%s ends a workbench that runs alone in order, with every process it started',
  async (signal) => {
    const config = devToolbox({ any: fixture('--ignore-eof', '--helper', 'setsid') });
    const workbench = startWorkbench({ config, alone: true });
    await open(workbench);
    // The workbench, its watchdog, the server and its child.
    const started = await until(() => {
      const all = startedBy(workbench);
      return all.some(({ command }) => command === 'sleep 3600') && all.length > 3 && all;
    });
    workbench.kill(signal);
    expect(await workbench.exited).toEqual({ code: 0, signal: null });
    await until(() => left(started).length === 0).catch(() => {});
    expect(left(started)).toEqual([]);
  },
);

test('a server whose launcher exited is ended by the workbench', async () => {
  const config = devToolbox({
    daemon: {
      command: 'sh',
      args: ['-c', '"$0" "$@" & exit 0', ...commandLine(fixture('--ignore-eof', '--ignore-sigterm'))],
    },
    session: { command: 'setsid', args: ['--fork', ...commandLine(fixture('--ignore-eof', '--ignore-sigterm'))] },
  });
  const workbench = startWorkbench({ config });
  await initialize(workbench);
  await workbench.request('tools/call', { name: 'open_toolbox', arguments: { toolbox: 'dev' } });
  await until(() => processesWith(workbench.marker).every(({ pid }) => pid === workbench.pid));
});

test('a workbench leaves only logs and caches in its home', async () => {
  const workbench = startWorkbench({ config: devToolbox({ any: fixture() }) });
  await open(workbench);
  workbench.end();
  await workbench.exited;
  await endHosts();
  const files = readdirSync(`${workbench.dir}/home`, { recursive: true }).map(String);
  expect(files.map((path) => path.replace(/[0-9a-f]{64}/, 'DIGEST')).sort()).toEqual([
    '.cache',
    '.cache/mcp-workbench',
    '.cache/mcp-workbench/eras.json',
    '.cache/mcp-workbench/tools',
    '.cache/mcp-workbench/tools/DIGEST.json',
    '.local',
    '.local/state',
    '.local/state/mcp-workbench',
    '.local/state/mcp-workbench/logs',
    '.local/state/mcp-workbench/logs/dev',
    '.local/state/mcp-workbench/logs/dev/any.log',
    '.local/state/mcp-workbench/logs/workbench.log',
  ]);
});
