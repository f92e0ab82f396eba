import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { socketDirectory } from '../../src/platform/sockets/socket-directory.js';
import { hostNames } from '../../src/serve/host/socket-names.js';
import { type TestConfig, withMarker, writeConfig } from './configs.js';
import { killQuietly, type LaunchOptions, temporaryDirectory } from './launch.js';
import { type Process, processesRunning, processesWith, scriptedServersWith } from './processes.js';
import { until } from './until.js';
import { initialize, type Message, type RunningWorkbench, startWorkbench } from './workbench.js';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));

/** Sessions that share a host with each other and with no other test. */
export interface SharedSessions {
  /** The file of their configuration, and the directory that it is in. */
  readonly file: string;
  readonly dir: string;
  readonly home: string;
  /** Their working directory. */
  readonly cwd: string;
  readonly program: string;
  readonly build: string;
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

/** `config` is the configuration of all sessions that are not started with another. */
export function shareSessions(config: TestConfig): SharedSessions {
  const dir = temporaryDirectory();
  const [home, cwd] = [join(dir, 'home'), join(dir, 'work')];
  for (const directory of [home, cwd]) mkdirSync(directory);
  const marker = randomUUID();
  const { program, folder, build } = ownProgram(dir);
  const file = writeConfig(dir, withMarker(config, marker));
  const hosts = () => processesRunning(join(folder, 'host.js')).filter(({ command }) => !command.startsWith('/bin/sh'));
  const socket = hostNames('', build).shared.replace('.sock', '');
  onTestFinished(() => {
    for (const { pid } of [...hosts(), ...processesWith(marker)]) killQuietly(pid);
  });
  return {
    file,
    dir,
    home,
    cwd,
    program,
    build,
    marker,
    hosts,
    servers: () => scriptedServersWith(marker),
    sockets: () => socketNames().filter((name) => name.startsWith(socket)),
    socket: join(socketDirectory(), `${socket}.sock`),
    async start({ env, capabilities, ...options } = {}) {
      const session = startWorkbench({
        ...{ program, cwd, args: ['--config', file] },
        ...options,
        env: { HOME: home, WORKBENCH_SHARED: '1', ...env },
      });
      await initialize(session, undefined, capabilities);
      return session;
    },
  };
}

/**
 * A copy of the program that counts as another build. The socket of a host depends on that and on nothing in the environment, so a
 * test cannot choose it otherwise.
 */
function ownProgram(dir: string): { readonly program: string; readonly folder: string; readonly build: string } {
  const folder = join(dir, 'program');
  mkdirSync(folder);
  const names = readdirSync(dist).filter((name) => name.endsWith('.js'));
  const build = names.map((name) => /^engine-([\da-f]{8})\.js$/.exec(name)?.[1]).find((found) => found !== undefined);
  if (build === undefined) throw new Error('the program is not built');
  const own = randomBytes(4).toString('hex');
  for (const name of names) {
    const text = readFileSync(join(dist, name), 'utf8').replaceAll(build, own);
    writeFileSync(join(folder, name.replace(build, own)), text, { mode: 0o700 });
  }
  // Without it Node.js would not take the files for modules.
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  return { program: join(folder, 'main.js'), folder, build: own };
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

/** Ends the sessions, and expects that 15 s later nothing of them is left. */
export async function ending(shared: SharedSessions, sessions: readonly RunningWorkbench[]): Promise<void> {
  for (const session of sessions) session.end();
  await Promise.all(sessions.map(({ exited }) => exited));
  const left = () => [...shared.hosts(), ...shared.servers().map(({ command }) => command), ...shared.sockets()];
  await until(() => left().length === 0, { withinMs: 15_000, what: 'the end of host and servers' });
}

/** The text of a result. */
export function textOf({ result }: Message): string {
  const [first] = Array.isArray(result?.['content']) ? result['content'] : [];
  return String(first?.text);
}
