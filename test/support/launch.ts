import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { type TestConfig, withMarker, writeConfig, writeConfigText } from './configs.js';
import { areAllAlone, endHosts, withHostName } from './hosts.js';
import { expectNoProcessLeft, markerVariable, processesWith } from './processes.js';
import { until } from './until.js';

export interface LaunchOptions {
  /** Written to a file that `--config` names; every server entry gets the marker. */
  readonly config?: TestConfig;
  /** The same, with this exact text. Give servers the marker with `"env": { "WORKBENCH_TEST_MARKER": "${WORKBENCH_TEST_MARKER}" }`. */
  readonly configText?: string;
  readonly args?: readonly string[];
  /** A command for all hosts: without `--host-name`. */
  readonly everyHost?: boolean;
  /** Runs its servers in its own process: for tests that are about that. */
  readonly alone?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** A limit for the program, as arguments of the shell's `ulimit`: `-n 256`. */
  readonly limit?: string;
  /** Another copy of the program. */
  readonly program?: string;
  /** A command that runs the program, such as `unshare --net`. */
  readonly through?: readonly string[];
}

/** How to start the built program for one test: with a directory and a home of its own. */
export interface Launch {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
  readonly cwd: string;
  readonly marker: string;
  /** The directory of the configuration. */
  readonly dir: string;
}

export const builtProgram = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

export function prepareLaunch(options: LaunchOptions): Launch {
  const { args = [], cwd, limit, program = builtProgram, through = [] } = options;
  const { alone = areAllAlone, everyHost = false } = options;
  const { marker, dir, home, path, env } = preparePlace(options);
  const own = [
    process.execPath,
    program,
    ...(path === undefined ? [] : ['--config', path]),
    ...(everyHost ? args : withHostName(args)),
  ];
  const [command = '', ...rest] = [...through, ...(limit === undefined ? own : underLimit(limit, own))];
  return {
    command,
    args: rest,
    env: { ...(alone && { WORKBENCH_SHARED: '0' }), ...env },
    // Not `dir`: there the configuration would be found without `--config`.
    cwd: cwd ?? home,
    marker,
    dir,
  };
}

/** What a session finds: a home, an environment, and the file of its configuration. */
interface Place {
  readonly marker: string;
  readonly dir: string;
  readonly home: string;
  /** Of the configuration. */
  readonly path: string | undefined;
  readonly env: Record<string, string>;
}

export function preparePlace({ config, configText, env = {} }: LaunchOptions): Place {
  const marker = randomUUID();
  const dir = temporaryDirectory();
  const home = join(dir, 'home');
  mkdirSync(home);
  const path =
    config === undefined
      ? configText === undefined
        ? undefined
        : writeConfigText(dir, configText)
      : writeConfig(dir, withMarker(config, marker));
  return { marker, dir, home, path, env: { ...systemEnv(home), [markerVariable]: marker, ...env } };
}

/** The variables without which no program starts. */
function systemEnv(home: string): Record<string, string> {
  const kept = process.platform === 'win32' ? ['PATH', 'PATHEXT', 'SYSTEMROOT', 'COMSPEC', 'TEMP'] : ['PATH'];
  const system = Object.fromEntries(kept.map((name) => [name, process.env[name] ?? '']));
  const homes: Record<string, string> =
    process.platform === 'win32' ? { USERPROFILE: home, APPDATA: home, LOCALAPPDATA: home } : {};
  return { ...system, HOME: home, ...homes };
}

/** A directory that is removed when the test ends. */
export function temporaryDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'mcp-workbench-test-'));
  onTestFinished(async () => {
    // A host may still write about a session that has ended, and retries of `rmSync` itself do not look for new files.
    await until(() => (rmSync(dir, { recursive: true, force: true }), true), { what: `the removal of ${dir}` });
  });
  return dir;
}

/**
 * When the test ends, stops the program and its host and expects that no process is left; kills any that are, so that they cannot
 * disturb other tests.
 */
export function stopWhenTestFinishes(marker: string, stop: () => Promise<void>): void {
  onTestFinished(async () => {
    try {
      await stop();
      await endHosts();
      await expectNoProcessLeft(marker);
    } finally {
      for (const { pid } of processesWith(marker)) killQuietly(pid);
    }
  });
}

/** The same command line under a limit. `exec` keeps the process id. */
export function underLimit(limit: string, commandLine: readonly string[]): string[] {
  return ['/bin/sh', '-c', `ulimit ${limit} && exec "$0" "$@"`, ...commandLine];
}

export function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
