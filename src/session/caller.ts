import { isRecord, type JsonObject } from '../jsonrpc/json.js';
import { rpcCode } from '../jsonrpc/messages.js';
import { RequestProblem } from '../jsonrpc/request-problem.js';
import { latestLegacyRevision, legacyRevisions, metaKeys, modernRevision } from '../jsonrpc/revisions.js';
import type { ClientInfo } from '../workbench/ports/agent.js';

/** The sender of a request: for a legacy client from its handshake, for a modern one from the request itself. */
export interface Caller {
  readonly revision: string;
  readonly client: ClientInfo | undefined;
  readonly capabilities: JsonObject;
}

/** A legacy client before its handshake, served in the oldest revision: some clients send requests too early. */
export const unknownClient: Caller = { revision: '2024-11-05', client: undefined, capabilities: {} };

/** Whether the request is of 2026-07-28, in which every request carries the client's revision and capabilities. */
export function isModernRequest(params: JsonObject): boolean {
  const meta = params['_meta'];
  return isRecord(meta) && metaKeys.protocolVersion in meta;
}

/** The sender of a modern request. */
export function modernCaller({ _meta: meta }: JsonObject): Caller {
  const {
    [metaKeys.protocolVersion]: revision,
    [metaKeys.clientCapabilities]: capabilities,
    [metaKeys.clientInfo]: client,
  } = isRecord(meta) ? meta : {};
  if (typeof revision !== 'string') throw envelopeProblem(metaKeys.protocolVersion, 'Expected string');
  if (revision !== modernRevision) {
    throw new RequestProblem(rpcCode.unsupportedProtocolVersion, `Unsupported protocol version: ${revision}`, {
      supported: [modernRevision],
      requested: revision,
    });
  }
  if (capabilities === undefined) throw envelopeProblem(metaKeys.clientCapabilities, 'missing');
  if (!isRecord(capabilities)) throw envelopeProblem(metaKeys.clientCapabilities, 'Expected object');
  if (client === undefined) return { revision, client, capabilities };
  if (!isClientInfo(client)) throw envelopeProblem(metaKeys.clientInfo, 'Expected object with name and version');
  return { revision, client, capabilities };
}

/** The sender of `initialize`, with the negotiated revision. */
export function legacyCaller({ protocolVersion, capabilities, clientInfo }: JsonObject): Caller {
  if (typeof protocolVersion !== 'string') throw invalidParams('protocolVersion: Expected string');
  if (!isRecord(capabilities)) throw invalidParams('capabilities: Expected object');
  if (!isClientInfo(clientInfo)) throw invalidParams('clientInfo: Expected object with name and version');
  const revision = legacyRevisions.has(protocolVersion) ? protocolVersion : latestLegacyRevision;
  return { revision, client: clientInfo, capabilities };
}

export function invalidParams(problem: string): RequestProblem {
  return new RequestProblem(rpcCode.invalidParams, `Invalid params: ${problem}`);
}

function envelopeProblem(key: string, problem: string): RequestProblem {
  const text = `Invalid _meta envelope for protocol revision ${modernRevision}: ${key}: ${problem}`;
  return new RequestProblem(rpcCode.invalidParams, text, { envelope: { key, problem } });
}

function isClientInfo(value: unknown): value is ClientInfo {
  return isRecord(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string';
}
