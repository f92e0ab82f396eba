import type { ServerConfig, StdioTarget } from '../../config/config.js';
import { DownstreamFailure } from '../../contract/downstream-failure.js';
import type { Computer } from '../../platform/computer.js';
import type { Log } from '../../platform/log.js';
import { createCrashHistory, isCrash } from '../../workbench/failures/crash-history.js';
import type { ConnectDownstream, Downstream } from '../../workbench/ports/downstream.js';
import type { Connector } from '../connect.js';
import type { SettledServer } from '../env-command/settle-server.js';
import { orAborted } from '../protocol/or-aborted.js';
import { minimalEnvironment } from '../stdio/environment.js';
import { mayUseDirectory, trustedDirectory } from '../stdio/runners/trusted-directory.js';
import { type Lease, newLease } from './lease.js';
import { createLogNumbers } from './log-numbers.js';
import { createProcessQuota, type ProcessLimits } from './process-quota.js';
import { offerOf, type SessionPlace, type ShareFacts, shareFactsOf, shareKeyOf } from './share-key.js';
import { openSharedConnection, type SharedConnection } from './shared-connection.js';

/** The connections of all sessions of a process. Sessions with equal entries share them. */
export interface Pool {
  /** Connects to the servers of one session. */
  of(session: PoolSession): ConnectDownstream;
  /** The processes there are, for people to look at. */
  readonly processes: () => PooledProcess[];
}

export interface PoolSession {
  /** The same as that of its agents. */
  readonly id: string;
  /** The id of the person or service that it belongs to. */
  readonly principal: string;
  readonly computer: Computer;
  readonly log: Log;
  readonly connector: Connector;
  /** What servers for everyone are started with, instead of what is the session's own. */
  readonly everyone: () => Pick<PoolSession, 'computer' | 'connector'>;
}

export interface PooledProcess {
  readonly toolbox: string;
  readonly server: string;
  readonly pid: number | undefined;
  readonly log: string | undefined;
  /** The sessions that use it. */
  readonly sessions: readonly string[];
  /** Why no other session may use it. */
  readonly reason: 'roots' | 'perSession' | 'it asks during calls of several sessions' | undefined;
  /** By which it differs from others with the same names. There are secrets among them. */
  readonly facts: ShareFacts;
  /** What a legacy server was offered, which it differs by as well. */
  readonly offer: string;
}

/** The connections to processes that do not differ. */
interface Family {
  readonly facts: ShareFacts;
  readonly connections: Set<SharedConnection>;
  readonly crashes: ReturnType<typeof createCrashHistory>;
  /** It has asked during calls of several sessions: from then on each has a process of its own. */
  isSeparate: boolean;
}

interface Wanted {
  readonly principal: string;
  readonly family: Family;
  readonly lease: Lease;
  readonly written: ServerConfig;
  readonly settled: SettledServer;
  readonly connector: Connector;
  readonly offer: string;
}

const mostFamilies = 1_000;

/** `limits`: how many processes there may be; without them, any number. */
export function createPool(limits?: ProcessLimits): Pool {
  const families = new Map<string, Family>();
  const logNumbers = createLogNumbers();
  const quota = createProcessQuota(limits);

  function familyOf(server: ServerConfig, target: StdioTarget, place: SessionPlace): Family {
    const facts = shareFactsOf(server, target, place);
    const key = shareKeyOf(server, facts);
    const known = families.get(key);
    if (known !== undefined) return known;
    // What is known about unused entries would stay for ever.
    if (families.size >= mostFamilies)
      for (const [unused, { connections }] of families) if (connections.size === 0) families.delete(unused);
    const family = {
      facts,
      connections: new Set<SharedConnection>(),
      crashes: createCrashHistory(),
      isSeparate: false,
    };
    families.set(key, family);
    return family;
  }

  /** The only session that may use the process, if there may be only one. */
  function ownerOf({ family, lease, written }: Wanted): string | undefined {
    return written.perSession || family.isSeparate ? lease.session : undefined;
  }

  function start(wanted: Wanted): SharedConnection {
    const { family, lease, written, settled, connector, offer } = wanted;
    const { server } = settled;
    const owner = ownerOf(wanted);
    const refusal = owner === undefined ? family.crashes.refusal() : undefined;
    if (refusal !== undefined) throw refusal;
    const leave = quota.take(wanted.principal);
    const number = logNumbers.take(server);
    const connection = openSharedConnection(lease, {
      ...{ server, offer, owner },
      open: (opening) => connector.open(written, settled, { ...opening, logNumber: number }),
      // One for everyone stays one; what it asks then is refused.
      separate: server.forEveryone ? undefined : () => void (family.isSeparate = true),
      failed(failure, readyForMs) {
        if (failure instanceof DownstreamFailure && isCrash(failure)) family.crashes.crashed(failure, readyForMs);
      },
    });
    family.connections.add(connection);
    const forget = () => {
      family.connections.delete(connection);
      leave();
      logNumbers.release(server, number);
    };
    // The error goes to the caller that closes it.
    connection.closed.then(forget, forget);
    return connection;
  }

  /** What to join, or what to wait for before it can be decided. */
  function choose(
    wanted: Wanted,
  ): { readonly join: SharedConnection } | { readonly wait: Promise<unknown> } | undefined {
    const owner = ownerOf(wanted);
    const candidates = [...wanted.family.connections].filter((one) => one.owner === owner && !one.isRetired);
    const fits = ({ offer }: SharedConnection) => wanted.lease.agent?.takesAnyOffer === true || offer === wanted.offer;
    const ready = candidates.find((one) => one.stage === 'ready' && (one.isModern || fits(one)));
    if (ready !== undefined) return { join: ready };
    const same = candidates.find((one) => fits(one) && one.stage !== 'ready');
    // No two processes of one entry run at the same time.
    if (same?.stage === 'over') return { wait: same.closed };
    if (same !== undefined) return { join: same };
    // It is offered something else, which does not matter if it turns out to be modern.
    const starting = candidates.find((one) => one.stage === 'starting');
    return starting && { wait: starting.settled };
  }

  async function connect(wanted: Wanted, signal: AbortSignal): Promise<Downstream> {
    for (;;) {
      const choice = choose(wanted);
      if (choice !== undefined && 'wait' in choice) {
        await orAborted(choice.wait, signal).catch((error: unknown) => {
          if (signal.aborted) throw error;
        });
        continue;
      }
      const lease = newLease(wanted.lease);
      const isReady = choice?.join.stage === 'ready';
      const leased = await (choice?.join ?? start({ ...wanted, lease })).join(lease, signal);
      if (leased !== undefined) return isReady ? { ...leased, isJoined: true } : leased;
    }
  }

  return {
    of({ id, log, everyone, ...own }) {
      const ownStarts = startsOf(own);
      return async (written, listener, signal, agent) => {
        const { connector, computer, place } = written.forEveryone
          ? startsOf({ ...everyone(), principal: everyones })
          : ownStarts;
        const { principal } = place;
        const settled = await connector.settle(written, signal);
        const { server, target } = settled;
        if (target.kind !== 'stdio') return connector.open(written, settled, { listener, signal, agent });
        // A session must not join a process that was started while its directory was still trusted.
        const isTrusted = mayUseDirectory(target)
          ? trustedDirectory(target, { computer, configFile: server.namedFile }) !== undefined
          : undefined;
        const family = familyOf(server, target, { ...place, isTrusted });
        const lease = newLease({ session: id, listener, agent, log, limits: written.limits });
        return connect(
          { principal, family, lease, written, settled, connector, offer: offerOf(agent, server) },
          signal,
        );
      };
    },

    processes: () =>
      [...families.values()].flatMap(({ facts, connections }) =>
        Array.from(connections, ({ server, program, leases, owner, offer }) => ({
          ...{ toolbox: server.toolbox, server: server.name, pid: program?.pid, log: program?.log, facts, offer },
          sessions: [...new Set(Array.from(leases, ({ session }) => session))],
          reason: owner === undefined ? undefined : reasonOf(server),
        })),
      ),
  };
}

/** The principal of servers that all users share. */
const everyones = 'everyone';

/** What servers are started with. */
function startsOf({ principal, computer, connector }: Pick<PoolSession, 'principal' | 'computer' | 'connector'>) {
  const environment = minimalEnvironment(computer.env, computer.platform);
  return { connector, computer, place: { principal, environment, cwd: computer.cwd } };
}

function reasonOf({ roots, perSession }: ServerConfig): PooledProcess['reason'] {
  if (roots) return 'roots';
  return perSession ? 'perSession' : 'it asks during calls of several sessions';
}
