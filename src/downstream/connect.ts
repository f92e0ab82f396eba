import path from 'node:path';
import type { RemoteTarget, ServerConfig, ServerLimits, StdioTarget } from '../config/config.js';
import { DownstreamFailure } from '../contract/downstream-failure.js';
import type { Computer } from '../platform/computer.js';
import type { Log } from '../platform/log.js';
import { type PerDirectory, perDirectory } from '../platform/per-directory.js';
import { createTurns, type Turns } from '../platform/turns.js';
import type { ReplaceAny } from '../text/replace-any.js';
import type { ConnectDownstream, ConnectionListener, Downstream } from '../workbench/ports/downstream.js';
import type { MaskFor } from '../workbench/ports/mask.js';
import { createEraMemory, type EraMemory } from './cache/era-memory.js';
import { type SettledServer, settleServer } from './env-command/settle-server.js';
import { sessionCertificates } from './http/network/session-certificates.js';
import { openHttpWire, type TransportRecord } from './http/open-wire.js';
import { createJournal } from './logs/journal.js';
import { createServerLogs, type ServerLogs } from './logs/server-logs.js';
import { maskListing } from './masking/masked-listing.js';
import { createMasks } from './masking/masks.js';
import { createNamedMask } from './masking/named-mask.js';
import type { LoginBrowser } from './oauth/login-browser.js';
import { connect, type Ending, type EraRecord } from './protocol/connect.js';
import type { ConnectionRequest } from './protocol/connection.js';
import type { Journal } from './protocol/journal.js';
import { minimalEnvironment } from './stdio/environment.js';
import { openStdioWire, type ProcessStart, startProcess } from './stdio/open-wire.js';
import type { PreparedProgram } from './stdio/runners/prepare-program.js';
import type { Asking } from './stdio/runners/resolve-npx.js';
import { createWatchdog, type Watchdog } from './stdio/watchdog.js';
import { wroteNothing } from './stdio/wire.js';

type Target = StdioTarget | RemoteTarget;

const mostRemembered = 1_000;

/** What belongs to a session: its servers get its environment and directory, and its log the warnings about them. */
export interface SessionSurroundings {
  readonly computer: Computer;
  readonly log: Log;
  /** For the log files of servers; without it there are none. */
  readonly logDirectory?: string | undefined;
  /** For findings about servers; without it they are kept in memory only. */
  readonly cacheDirectory?: string | undefined;
  /** For logins at remote servers; without it there are none. */
  readonly dataDirectory?: string | undefined;
  /** Who waits for the browser of a user who logs in; a port of this computer if nothing else does. */
  readonly browser?: LoginBrowser | undefined;
  /** Its servers are those of all users. */
  readonly isForEveryone?: boolean;
}

/** Connects to the servers of one session. */
export interface Connector {
  readonly connect: ConnectDownstream;
  /** Replaces values with the names of secrets, as far as they are known without starting the server. */
  readonly maskFor: MaskFor;
  /** The server with what its `envCommand` prints, if it has one. */
  settle(server: ServerConfig, signal: AbortSignal): Promise<SettledServer>;
  /** Connects to the settled server of an entry. */
  open(written: ServerConfig, settled: SettledServer, opening: Opening): Promise<Downstream>;
}

export interface Opening extends Omit<ConnectionRequest, 'server' | 'journal'> {
  /** Gets the warnings about the server; by default the log of the session does. */
  readonly log?: Log;
  /** Of its log file, if there are several processes with the same names. */
  readonly logNumber?: number;
}

export interface Connectors {
  of(session: SessionSurroundings): Connector;
  /** Writes pending data: the logs of the servers and their eras. */
  flush(): Promise<void>;
}

interface Starts extends ProcessStart {
  readonly listener: ConnectionListener;
}

/** What connections of all sessions have in common. */
interface Resources {
  readonly ownEnv: Computer['env'];
  readonly watchdog: Watchdog;
  readonly turns: Turns;
  readonly asking: Asking;
  readonly eras: PerDirectory<EraMemory>;
  readonly logs: PerDirectory<ServerLogs>;
}

/** Connects to real servers. Resources of the computer are created here, once for all sessions; `own` is that of this process. */
export function createConnectors(own: Pick<Computer, 'platform' | 'env'>, log: Log): Connectors {
  const eras = perDirectory((directory) => createEraMemory(directory && path.join(directory, 'eras.json')));
  const logs = perDirectory(createServerLogs);
  const watchdog = createWatchdog(own.platform, (problem) => log.warn(problem));
  const resources = { ownEnv: own.env, watchdog, turns: createTurns(), asking: new Map(), eras, logs };
  return {
    of: (session) => createConnector(session, resources),
    async flush() {
      for (const memory of eras.all()) memory.flush();
      await Promise.all(logs.all().map((all) => all.flush()));
    },
  };
}

function createConnector(session: SessionSurroundings, resources: Resources): Connector {
  const { ownEnv, watchdog, turns, asking, ...files } = resources;
  const { computer, log, cacheDirectory, browser } = session;
  // Without a directory, memory of one session is not that of another.
  const eras = cacheDirectory === undefined ? createEraMemory(undefined) : files.eras.of(cacheDirectory);
  const logs = files.logs.of(session.logDirectory);
  const environment = minimalEnvironment(computer.env, computer.platform);
  const surroundings = { computer, environment, watchdog, turns, asking, cacheDirectory };
  const certificates = sessionCertificates(computer, ownEnv);
  const masks = createMasks(environment);
  const endings = new Map<string, Ending>();
  /** Servers with what programs of `envCommand` have printed, by the fingerprint of the entry. */
  const settled = new Map<string, ServerConfig>();

  /** Each attempt to connect starts a process. */
  function stdioWires(target: StdioTarget, limits: ServerLimits, journal: Journal, opening: Starts) {
    const { listener, ...start } = opening;
    let words: () => Promise<string | undefined> = async () => undefined;
    let prepared: Pick<PreparedProgram, 'forget' | 'refresh'> = {};
    const waiting: ProcessStart['waiting'] = (describe) =>
      listener.started({ lastWords: async () => describe(), log: journal.file });
    const openWire = async () => {
      const wire = await openStdioWire(target, limits, surroundings, journal, { ...start, waiting });
      prepared = wire;
      // A process in the other era, which may hang, does not hide why the first one exited.
      const before = words;
      words = async () => (await wire.lastWords()) ?? before();
      const lastWords = async () => (await words()) ?? wroteNothing;
      listener.started({ lastWords, log: journal.file, pid: wire.pid });
      return wire;
    };
    /** What a package runner said about a program that exits at once may be wrong by now. */
    const failed = async (error: unknown) => {
      if (error instanceof DownstreamFailure && error.kind === 'crashed') await prepared.forget?.();
    };
    /** The same connection, which ends the search for a newer version as well. */
    const refreshing = (downstream: Downstream): Downstream => {
      if (prepared.refresh === undefined) return downstream;
      const abort = new AbortController();
      void prepared.refresh(limits.runnerRefreshMs, abort.signal);
      return {
        ...downstream,
        close() {
          abort.abort();
          return downstream.close();
        },
      };
    };
    return { openWire, failed, refreshing };
  }

  async function remoteWire(
    server: ServerConfig,
    target: RemoteTarget,
    journal: Journal,
    listener: ConnectionListener,
  ) {
    const learned = (secrets: readonly string[]) => masks.learn(server, secrets);
    const { mask, warn } = journal;
    const directory = loginsOf(session);
    const logins = directory === undefined ? undefined : { server, computer, directory, browser, mask, learned, warn };
    const record = transportOf(target, eras);
    const wire = await openHttpWire(target, server.limits, record, journal, {
      env: computer.env,
      certificates,
      logins,
    });
    listener.started({ lastWords: () => wire.lastWords(), log: undefined });
    return wire;
  }

  const programs = {
    masks,
    journalFor: (server: ServerConfig, mask: ReplaceAny) => createJournal(server, mask, logs.of(server), log),
    async start(program: StdioTarget, journal: Journal, start: ProcessStart) {
      return (await startProcess(program, surroundings, journal, start)).child;
    },
  };

  async function settle(server: ServerConfig, signal: AbortSignal): Promise<SettledServer> {
    const { target } = server;
    if (target.kind !== 'late') return { server, target };
    const known = await settleServer(server, target, programs, signal);
    remember(settled, server.fingerprint, known.server);
    return known;
  }

  async function open(
    written: ServerConfig,
    { server, target }: SettledServer,
    { log: warnings = log, logNumber, ...opening }: Opening,
  ): Promise<Downstream> {
    const { listener, signal } = opening;
    if (target.kind === 'broken') throw new DownstreamFailure('unreachable', target.reason);
    const mask = server === written ? masks.of(server) : masks.fresh(server);
    const journal = createJournal(server, mask.text, logs.of(server, logNumber), warnings);
    const { openWire, failed, refreshing } =
      target.kind === 'stdio'
        ? stdioWires(target, server.limits, journal, {
            listener,
            signal,
            configFile: server.namedFile,
            pinned: server.pinned,
          })
        : { openWire: () => remoteWire(server, target, journal, listener), failed: undefined, refreshing: undefined };
    try {
      const request = { ...opening, server: inItsEra(server), journal };
      const downstream = await connect(openWire, recordOf(written, target, eras, endings), request);
      return maskListing(refreshing?.(downstream) ?? downstream, mask);
    } catch (error) {
      await failed?.(error);
      // Its command and directory may contain variables.
      if (error instanceof Error) error.message = mask.text(error.message);
      throw error;
    }
  }

  return {
    settle,

    maskFor(server) {
      return createNamedMask((settled.get(server.fingerprint) ?? server).secrets);
    },

    async connect(written, listener, signal, agent) {
      return open(written, await settle(written, signal), { listener, signal, agent });
    },

    open,
  };
}

/** Among several users the login of one person, such as the operator's own, must not be everybody's. */
function loginsOf({ dataDirectory, browser, isForEveryone = false }: SessionSurroundings): string | undefined {
  const isApart = isForEveryone && browser !== undefined;
  return dataDirectory !== undefined && isApart ? path.join(dataDirectory, 'everyone') : dataDirectory;
}

/** The transport of 2024-11-05 is older than the other era. */
function inItsEra(server: ServerConfig): ServerConfig {
  const isSse = server.target.kind === 'remote' && server.target.transport === 'sse';
  return isSse && server.protocol === 'auto' ? { ...server, protocol: 'legacy' } : server;
}

function transportOf(target: RemoteTarget, eras: EraMemory): TransportRecord {
  return {
    isSse: () => eras.isSse(target),
    set: (transport) => (transport === 'sse' ? eras.rememberSse(target) : eras.forgetSse(target)),
  };
}

function recordOf(
  { fingerprint }: ServerConfig,
  target: Target,
  eras: EraMemory,
  endings: Map<string, Ending>,
): EraRecord {
  return {
    knownEnding: () => endings.get(fingerprint),
    rememberEnding: (ending) => remember(endings, fingerprint, ending),
    forgetEnding: () => void endings.delete(fingerprint),
    isLegacy: () => eras.isLegacy(target),
    remember: () => eras.remember(target),
    forget: () => eras.forget(target),
  };
}

/** Entries that no configuration has any more would stay for ever. */
function remember<T>(known: Map<string, T>, fingerprint: string, value: T): void {
  if (known.size >= mostRemembered) known.clear();
  known.set(fingerprint, value);
}
