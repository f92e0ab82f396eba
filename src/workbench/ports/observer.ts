import type { ServerConfig } from '../../config/config.js';
import type { FailureKind } from '../../contract/downstream-failure.js';
import type { ErrorCode } from '../../contract/errors.js';
import type { PackageVersion } from '../../contract/package-version.js';
import type { ClientInfo } from './agent.js';

/**
 * Gets what a workbench reports about itself, as it happens: for a status, a page, metrics or an audit log. Of arguments and
 * results nothing but the first line of an error. It must return at once and never throw. Times (`at`) are in ms since 1970.
 */
export interface Observer {
  report(event: WorkbenchEvent): void;
}

export type WorkbenchEvent = ServerEvent | OpenEvent | CallEvent | RefusedEvent;

/**
 * - `starting`, then `ready` or `failed`
 * - `asleep`: stopped until the next call, because it was idle
 * - `moved`: its process is no longer shared; the next call gets one of its own
 * - `ended`: its connection broke; the next call starts it again
 * - `stopped`: the session is over, or the server is no longer configured
 */
export type ServerEvent =
  | ({ readonly is: 'starting' | 'asleep' | 'moved' | 'stopped' } & OfServer)
  | ({ readonly is: 'ready' } & OfServer & ReadyServer)
  | ({ readonly is: 'failed' | 'ended' } & OfServer & ServerFailure);

interface OfServer {
  readonly at: number;
  /** Its values may be secrets: none is written anywhere. */
  readonly server: ServerConfig;
}

export interface ReadyServer {
  /** How long the start took, with the handshake and the list of tools. */
  readonly startMs: number;
  readonly pid: number | undefined;
  /** The protocol revision. */
  readonly revision: string | undefined;
  /** Name and version that the server gives itself. */
  readonly software: string | undefined;
  /** The package it is started from, if npm resolved it. */
  readonly package?: PackageVersion | undefined;
  /** How many tools pass the filters. */
  readonly tools: number;
  /** It ran already, for another session: `startMs` is the time to join it. */
  readonly isJoined?: true | undefined;
}

export interface ServerFailure {
  readonly kind: FailureKind;
  /** One line. No configured secret is in it. */
  readonly reason: string;
}

interface ByClient {
  readonly at: number;
  readonly client: ClientInfo | undefined;
}

/** `open_toolbox` has been answered. */
export interface OpenEvent extends ByClient {
  readonly is: 'opened';
  readonly toolbox: string;
  readonly ms: number;
}

/** A call has ended that was sent to its server. */
export interface CallEvent extends ByClient, OfCall {
  readonly is: 'called';
  readonly toolbox: string;
  readonly server: string;
  readonly tool: string;
  readonly ms: number;
  /** `error`: the tool reported one. `asked`: the server requires input first. `failed`: there is no result. */
  readonly outcome: 'ok' | 'error' | 'asked' | 'failed';
  /** Of a call that failed. */
  readonly code?: ErrorCode | undefined;
  /** Of a call that failed, or whose tool reported an error: the first line. No configured secret is in it. */
  readonly reason?: string | undefined;
  /** The bytes of the request and of the response, as far as they were measured. */
  readonly sent?: number | undefined;
  readonly received?: number | undefined;
}

/**
 * A call, or the opening of a toolbox, was refused, so nothing was sent. The names are the requested ones, cut if they
 * are long; they may not exist.
 */
export interface RefusedEvent extends ByClient, Partial<OfCall> {
  readonly is: 'refused';
  readonly toolbox: string;
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
  readonly code: ErrorCode;
  /** One line; no configured secret is in it. */
  readonly reason?: string | undefined;
}

interface OfCall {
  /** Counts up in this process: with the process id it names the call on this computer. */
  readonly call: number;
  /** The trace id of the agent, if it sent a valid trace context. */
  readonly trace: string | undefined;
}
