import { isRecord } from '../../jsonrpc/json.js';
import type { RpcMessage } from '../../jsonrpc/messages.js';
import { latestLegacyRevision, legacyRevisions, metaKeys, modernRevision } from '../../jsonrpc/revisions.js';
import type { Overview } from '../../workbench/toolbox.js';
import { cacheHint, capabilities, serverInfo } from './identity.js';
import { instructions } from './instructions.js';
import { metaTools } from './meta-tools.js';

type Params = Readonly<Record<string, unknown>>;

/** An agent of before 2026-07-28, as it introduced itself. */
export interface Acquaintance {
  readonly revision: string;
  readonly capabilities: Params;
}

/** Answers what clients ask first, in either era, from the configuration alone, and as the SDK would. */
export interface Opener {
  /** Who has introduced itself, if anybody has. */
  readonly acquaintance: Acquaintance | undefined;
  /** It introduces itself anew, elsewhere. */
  forget(): void;
  /** Whether it takes the message. If anything about it is unusual, it does not, and nothing has happened. */
  take(message: RpcMessage): boolean;
}

export function createOpener(overview: Overview, send: (message: RpcMessage) => void): Opener {
  const { hello, legacy, modern } = createAnswers(overview);
  let acquaintance: Acquaintance | undefined;

  function answer(method: string, params: Params): Params | undefined {
    const meta = params['_meta'];
    if (isRecord(meta) && metaKeys.protocolVersion in meta) {
      return offeredCapabilities(meta) === undefined ? undefined : modern.get(method);
    }
    if (acquaintance !== undefined) return legacy.get(method);
    acquaintance = method === 'initialize' ? introduced(params) : undefined;
    return acquaintance && hello(acquaintance.revision);
  }

  return {
    get acquaintance() {
      return acquaintance;
    },
    forget() {
      acquaintance = undefined;
    },
    take(message) {
      if (!('method' in message)) return false;
      const { method, params = {} } = message;
      if (!('id' in message)) return method === 'notifications/initialized' && acquaintance !== undefined;
      const result = answer(method, params);
      if (result !== undefined) send({ jsonrpc: '2.0', id: message.id, result });
      return result !== undefined;
    },
  };
}

const notKept = { ttlMs: 0, cacheScope: 'private' } as const;

function createAnswers(overview: Overview) {
  const told = instructions(overview);
  // Resources are read by the links in results. There is nothing to list that would not start servers.
  const lists = [
    ['tools/list', { tools: metaTools(overview) }, cacheHint],
    ['resources/list', { resources: [] }, notKept],
    ['resources/templates/list', { resourceTemplates: [] }, notKept],
  ] as const;
  const discovery = { supportedVersions: [modernRevision], capabilities, instructions: told };
  return {
    hello: (protocolVersion: string) => ({ protocolVersion, capabilities, serverInfo, instructions: told }),
    legacy: new Map<string, Params>([['ping', {}], ...lists.map(([method, list]) => [method, list] as const)]),
    modern: new Map<string, Params>([
      ['server/discover', completed({ ...discovery, ...cacheHint })],
      ...lists.map(([method, list, hint]) => [method, completed({ ...list, ...hint })] as const),
    ]),
  };
}

/** What a result carries since 2026-07-28. */
export function completed(result: Params): Params {
  const meta = isRecord(result['_meta']) ? result['_meta'] : {};
  return { resultType: 'complete', ...result, _meta: { ...meta, [metaKeys.serverInfo]: serverInfo } };
}

/** What the sender of a request of 2026-07-28 can do; undefined if anything about that is unusual. */
export function offeredCapabilities(meta: Params): Params | undefined {
  const client = meta[metaKeys.clientInfo];
  const offered = meta[metaKeys.clientCapabilities];
  if (meta[metaKeys.protocolVersion] !== modernRevision || !isRecord(offered)) return undefined;
  return client === undefined || isImplementation(client) ? offered : undefined;
}

function introduced({ protocolVersion, capabilities: offered, clientInfo }: Params): Acquaintance | undefined {
  if (typeof protocolVersion !== 'string' || protocolVersion >= modernRevision) return undefined;
  if (!isRecord(offered) || !isImplementation(clientInfo)) return undefined;
  const revision = legacyRevisions.has(protocolVersion) ? protocolVersion : latestLegacyRevision;
  return { revision, capabilities: offered };
}

function isImplementation(value: unknown): boolean {
  return isRecord(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string';
}
