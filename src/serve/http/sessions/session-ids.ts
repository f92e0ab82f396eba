import { isRecord, type JsonObject } from '../../../jsonrpc/json.js';
import { legacyRevisions } from '../../../jsonrpc/revisions.js';
import { crypto } from '../../../platform/crypto.js';
import type { Caller } from '../../../session/caller.js';
import { shorten } from '../../../text/shorten.js';
import { longestClientName, maxEndedSessions, sessionIdMs } from '../exchange/limits.js';

/**
 * Ids of legacy sessions. Each is a signed statement of what the handshake has settled, so that a session can be opened from it at any
 * time, also by a service that was restarted: clients do not begin a new one after 404, as they should.
 */
export interface SessionIds {
  sign(caller: Caller, principal: string): string;
  /** Undefined if it is forged, changed, expired, ended, or of another principal. */
  verify(id: string, principal: string): Stated | undefined;
  /** Its client has ended the session: the id counts no longer. */
  end(id: string): void;
}

/** What the id of a session states. */
export interface Stated {
  readonly caller: Caller;
  /** In ms since 1970. */
  readonly validUntil: number;
}

const version = '1';
/** A longer one is not ours. */
const longestId = 2_048;

/** What of a client's capabilities makes a difference here, each as one character. */
const flags: readonly (readonly [flag: string, path: readonly string[]])[] = [
  ['e', ['elicitation']],
  ['f', ['elicitation', 'form']],
  ['u', ['elicitation', 'url']],
  ['s', ['sampling']],
  ['t', ['sampling', 'tools']],
  ['c', ['sampling', 'context']],
  ['r', ['roots']],
];

export function createSessionIds(key: Buffer, now: () => number = () => Date.now()): SessionIds {
  const { createHash, createHmac, randomBytes, timingSafeEqual } = crypto();
  const ended = new Set<string>();
  const digestOf = (id: string) => createHash('sha256').update(id).digest('base64url');
  const macOf = (payload: string, principal: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify(['session id', version, principal, payload]))
      .digest('base64url');

  return {
    sign({ revision, client, capabilities }, principal) {
      const name = client && [shorten(client.name, longestClientName), shorten(client.version, longestClientName)];
      const random = randomBytes(16).toString('base64url');
      const statement = [Math.floor(now() / 1_000), random, revision, flagsOf(capabilities), ...(name ?? [])];
      const payload = Buffer.from(JSON.stringify(statement)).toString('base64url');
      return `${version}.${payload}.${macOf(payload, principal)}`;
    },
    verify(id, principal) {
      if (id.length > longestId) return undefined;
      const [given, payload = '', mac = '', ...rest] = id.split('.');
      if (given !== version || rest.length > 0) return undefined;
      // Compared as text: several base64url texts decode to the same bytes.
      const [one, other] = [Buffer.from(mac), Buffer.from(macOf(payload, principal))];
      if (one.length !== other.length || !timingSafeEqual(one, other)) return undefined;
      if (ended.has(digestOf(id))) return undefined;
      const statement: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
      const parts: readonly unknown[] = Array.isArray(statement) ? statement : [];
      const [seconds, , revision, capabilities, name, clientVersion] = parts;
      if (typeof seconds !== 'number') return undefined;
      const validUntil = seconds * 1_000 + sessionIdMs;
      if (now() > validUntil) return undefined;
      if (typeof revision !== 'string' || !legacyRevisions.has(revision)) return undefined;
      const client =
        typeof name === 'string' && typeof clientVersion === 'string' ? { name, version: clientVersion } : undefined;
      return { caller: { revision, client, capabilities: capabilitiesOf(String(capabilities)) }, validUntil };
    },
    end(id) {
      const [oldest] = ended;
      if (ended.size >= maxEndedSessions && oldest !== undefined) ended.delete(oldest);
      ended.add(digestOf(id));
    },
  };
}

function flagsOf(capabilities: JsonObject): string {
  return flags
    .filter(([, path]) => has(capabilities, path))
    .map(([flag]) => flag)
    .join('');
}

function has(value: unknown, [key = '', ...rest]: readonly string[]): boolean {
  if (!isRecord(value) || !isRecord(value[key])) return false;
  return rest.length === 0 || has(value[key], rest);
}

function capabilitiesOf(given: string): JsonObject {
  const capabilities: Record<string, Record<string, object>> = {};
  for (const [flag, [key = '', part]] of flags) {
    if (!given.includes(flag)) continue;
    const under = (capabilities[key] ??= {});
    if (part !== undefined) under[part] = {};
  }
  return capabilities;
}
