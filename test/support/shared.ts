import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { socketDirectory } from '../../src/platform/sockets/socket-directory.js';
import { hostNames } from '../../src/serve/host/socket-names.js';
import { type TestConfig, withMarker, writeConfig } from './configs.js';
import { builtAs, hostNameOfTest, hostsNamed } from './hosts.js';
import { killQuietly, type LaunchOptions, temporaryDirectory } from './launch.js';
import { type Process, processesWith, scriptedServersWith } from './processes.js';
import { until } from './until.js';
import { initialize, type Message, type RunningWorkbench, startWorkbench } from './workbench.js';

/** Sessions that share a host with each other and with no other test. */
export interface SharedSessions {
  /** The file of their configuration, and the directory that it is in. */
  readonly file: string;
  readonly dir: string;
  readonly home: string;
  /** Their working directory. */
  readonly cwd: string;
  /** That of their host. */
  readonly hostName: string;
  /** In every server of theirs. */
  readonly marker: string;
  /** Starts a session, with the handshake done. */
  start(options?: LaunchOptions & { readonly capabilities?: object }): Promise<RunningWorkbench>;
  /** Their hosts. */
  hosts(): Process[];
  /** Their scripted servers. */
  servers(): Process[];
  /** The socket of their host, and all that begin with its name. */
  readonly socket: string;
  sockets(): string[];
}

/** `config` is the configuration of all sessions that are not started with another. A second host in a test has a name of its own. */
export function shareSessions(config: TestConfig, hostName = hostNameOfTest()): SharedSessions {
  const dir = temporaryDirectory();
  const [home, cwd] = [join(dir, 'home'), join(dir, 'work')];
  for (const directory of [home, cwd]) mkdirSync(directory);
  const marker = randomUUID();
  const file = writeConfig(dir, withMarker(config, marker));
  const hosts = () => hostsNamed(hostName);
  const socket = hostNames(hostName, builtAs()).shared.replace('.sock', '');
  onTestFinished(() => {
    for (const { pid } of [...hosts(), ...processesWith(marker)]) killQuietly(pid);
  });
  return {
    file,
    dir,
    home,
    cwd,
    hostName,
    marker,
    hosts,
    servers: () => scriptedServersWith(marker),
    sockets: () => socketNames().filter((name) => name.startsWith(socket)),
    socket: join(socketDirectory(), `${socket}.sock`),
    async start({ env, capabilities, ...options } = {}) {
      const args = options.args ?? ['--config', file];
      const session = startWorkbench({
        cwd,
        alone: false,
        ...options,
        args: args.includes('--host-name') ? args : [...args, '--host-name', hostName],
        env: { HOME: home, ...env },
      });
      await initialize(session, undefined, capabilities);
      return session;
    },
  };
}

function socketNames(): string[] {
  try {
    return readdirSync(socketDirectory());
  } catch {
    return [];
  }
}

/** A call of a tool of the scripted server `any` in the toolbox `dev`. */
export function call(session: RunningWorkbench, name: string, args: object = {}, server = 'any'): Promise<Message> {
  return session.request('tools/call', use(name, args, server));
}

/** Parameters of such a call. */
export function use(name: string, args: object = {}, server = 'any'): object {
  return { name: 'use_tool', arguments: { tool: { toolbox: 'dev', server, name }, arguments: args } };
}

/** The only host. */
export function hostOf(shared: SharedSessions): Process {
  const [host, ...more] = shared.hosts();
  if (host === undefined || more.length > 0) throw new Error(`${more.length + (host ? 1 : 0)} hosts instead of one`);
  return host;
}

/** Ends the sessions, and expects that nothing of them is left: 15 s later on an idle machine. */
export async function ending(shared: SharedSessions, sessions: readonly RunningWorkbench[]): Promise<void> {
  for (const session of sessions) session.end();
  await Promise.all(sessions.map(({ exited }) => exited));
  const left = () => [...shared.hosts(), ...shared.servers().map(({ command }) => command), ...shared.sockets()];
  await until(() => left().length === 0, { withinMs: 30_000, what: 'the end of host and servers' });
}

/** The text of a result. */
export function textOf({ result }: Message): string {
  const [first] = Array.isArray(result?.['content']) ? result['content'] : [];
  return String(first?.text);
}
