import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { isRecord } from '../json.js';
import type { Tool } from '../types.js';
import { cacheHint, capabilities, serverInfo } from './identity.js';

const modernRevision = '2026-07-28';
const latestLegacyRevision = '2025-11-25';
const legacyRevisions = new Set([latestLegacyRevision, '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']);
const metaKey = (name: string) => `io.modelcontextprotocol/${name}`;

/** What is said at the beginning; made once. */
export interface Opening {
  readonly instructions: string;
  readonly tools: readonly Tool[];
}

export interface OpeningReply {
  /** To be told to the SDK when it takes over: it must know what was agreed. */
  readonly isHandshake: boolean;
  /** Absent for a notification. */
  readonly result?: Readonly<Record<string, unknown>>;
}

type Params = Readonly<Record<string, unknown>>;

/** What a call will need, as far as it can be told without looking closer. */
export interface Coming {
  readonly place: { readonly toolbox: string; readonly server?: string };
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Under 2026-07-28 an agent is not asked outside of its calls. */
  readonly isModern: boolean;
}

/** Which servers a call of a meta-tool is about to need, and on whose behalf. `initialize` is the agent's, if it sent one. */
export function comingCall(message: JSONRPCMessage, initialize: JSONRPCMessage | undefined): Coming | undefined {
  const params = paramsOf(message);
  const args = params['arguments'];
  if (!('method' in message) || message.method !== 'tools/call' || !isRecord(args)) return undefined;
  const tool = params['name'] === 'use_tool' && isRecord(args['tool']) ? args['tool'] : {};
  const toolbox = params['name'] === 'open_toolbox' ? args['toolbox'] : tool['toolbox'];
  const server = tool['server'];
  if (typeof toolbox !== 'string' || (params['name'] === 'use_tool' && typeof server !== 'string')) return undefined;
  const meta = params['_meta'];
  const envelope = isRecord(meta) ? meta[metaKey('clientCapabilities')] : undefined;
  // A server may ask back while it starts, and an agent of 2026-07-28 can only be asked within its call.
  if (isRecord(envelope) && ['roots', 'sampling', 'elicitation'].some((key) => key in envelope)) return undefined;
  const offered = envelope ?? (initialize && paramsOf(initialize)['capabilities']);
  return {
    place: { toolbox, ...(typeof server === 'string' && { server }) },
    capabilities: isRecord(offered) ? offered : {},
    isModern: envelope !== undefined,
  };
}

function paramsOf(message: JSONRPCMessage): Params {
  return 'params' in message && isRecord(message.params) ? message.params : {};
}

/** Answers the messages that open a connection, in either era; undefined for any other, or if anything about it is unusual. */
export function answerOpening(
  message: JSONRPCMessage,
  opening: Opening,
  isInitialized: boolean,
): OpeningReply | undefined {
  if (!('method' in message)) return undefined;
  const params: unknown = message.params ?? {};
  if (!isRecord(params)) return undefined;
  if (!('id' in message)) {
    return message.method === 'notifications/initialized' && isInitialized ? { isHandshake: true } : undefined;
  }
  const meta = params['_meta'];
  if (isRecord(meta) && metaKey('protocolVersion') in meta) return modernReply(message.method, meta, opening);
  return legacyReply(message.method, params, opening, isInitialized);
}

function legacyReply(
  method: string,
  params: Params,
  opening: Opening,
  isInitialized: boolean,
): OpeningReply | undefined {
  if (method === 'initialize' && !isInitialized && isUsualInitialize(params)) {
    const wanted = String(params['protocolVersion']);
    const protocolVersion = legacyRevisions.has(wanted) ? wanted : latestLegacyRevision;
    const { instructions } = opening;
    return { isHandshake: true, result: { protocolVersion, capabilities, serverInfo, instructions } };
  }
  if (!isInitialized) return undefined;
  if (method === 'ping') return { isHandshake: false, result: {} };
  if (method === 'tools/list') return { isHandshake: false, result: { tools: opening.tools } };
  return undefined;
}

function isUsualInitialize({ protocolVersion, capabilities: offered, clientInfo }: Params): boolean {
  if (typeof protocolVersion !== 'string' || protocolVersion >= modernRevision) return false;
  if (!isRecord(offered) || !isRecord(clientInfo)) return false;
  return typeof clientInfo['name'] === 'string' && typeof clientInfo['version'] === 'string';
}

function modernReply(method: string, meta: Params, opening: Opening): OpeningReply | undefined {
  if (meta[metaKey('protocolVersion')] !== modernRevision || !isRecord(meta[metaKey('clientCapabilities')]))
    return undefined;
  const client = meta[metaKey('clientInfo')];
  if (
    client !== undefined &&
    !(isRecord(client) && typeof client['name'] === 'string' && typeof client['version'] === 'string')
  ) {
    return undefined;
  }
  const common = { resultType: 'complete', ...cacheHint, _meta: { [metaKey('serverInfo')]: serverInfo } };
  const { instructions, tools } = opening;
  if (method === 'server/discover') {
    return {
      isHandshake: false,
      result: { supportedVersions: [modernRevision], capabilities, instructions, ...common },
    };
  }
  if (method === 'tools/list') return { isHandshake: false, result: { tools, ...common } };
  return undefined;
}
