/** Of all headers together; Node.js answers 431 by itself. */
export const maxHeaderBytes = 16_384;
export const maxHeaderLines = 100;
/** From the first byte of a request to the end of its headers; then 408. Connections that stay silent have the same limit. */
const headersTimeoutMs = 10_000;
/** From the end of the headers to the end of the body; then 408. */
const bodyTimeoutMs = 30_000;
/** Also of a stdio agent's messages most are far below; what is larger belongs into a file. */
export const maxBodyBytes = 4_194_304;
/** Of a refused request a body up to this length is dropped, and the connection stays; before a longer one it is closed. */
export const droppedBodyBytes = 65_536;
/** How long the rest of such a body is dropped before the connection is closed, so that its sender can read the answer. */
export const lingerMs = 2_000;
/** Connections, silent ones included. Each takes a descriptor. */
export const maxConnections = 4_096;

/** An exchange that is not answered by then becomes a stream: proxies and clients give up on silence. */
export const streamAfterMs = 5_000;
/** On an open stream that is silent. */
export const commentEveryMs = 15_000;
/** A client that reads nothing for this long, while something waits for it, is disconnected. */
const stalledAfterMs = 30_000;
/** A client that has more than this to read gets no progress notifications: they are of no use when they are late. */
export const streamBacklogBytes = 262_144;
/** What may wait for the clients of one principal; then its calls are refused. */
export const maxUnreadBytes = 67_108_864;

/** Sessions that are open in memory; the one that is idle for longest is closed, and opens again with its next request. */
const maxSessionsPerUser = 50;
const maxSessions = 1_000;
/** Modern sessions of one principal, one for each name of a client. */
export const maxModernSessions = 20;
const sessionIdleMs = 1_800_000;
/** A session id is valid for this long. */
export const sessionIdMs = 2_592_000_000;
/** Sessions that were ended by their client, by the digests of their ids. */
export const maxEndedSessions = 10_000;
/** Of what a client says about itself, in the id of its session. */
export const longestClientName = 100;

/** After SIGTERM: how long new sessions and calls are still taken, so that load balancers notice; on loopback there are none. */
export const drainNoticeMs = 5_000;
/** Then how long running calls may take. */
export const drainCallsMs = 30_000;
/** Then how long servers have to end. */
export const closeLimitMs = 8_000;

/** The limits that a service can be started with others than the built-in ones. */
export interface Bounds {
  readonly headersTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  readonly stalledAfterMs: number;
  readonly sessionsPerUser: number;
  readonly sessions: number;
  readonly sessionIdleMs: number;
}

/** All of them, as every service outside of tests has them. */
export const builtInBounds: Bounds = {
  headersTimeoutMs,
  bodyTimeoutMs,
  stalledAfterMs,
  sessionsPerUser: maxSessionsPerUser,
  sessions: maxSessions,
  sessionIdleMs,
};

/** What `Retry-After` says, in seconds. */
export const retryAfterSeconds = 2;
