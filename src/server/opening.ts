import { isRecord } from '../json.js';
import { latestLegacyRevision, legacyRevisions, metaKeys, modernRevision } from '../revisions.js';
import type { Overview } from '../workbench/toolbox.js';
import { cacheHint, capabilities, serverInfo } from './identity.js';
import { instructions } from './instructions.js';
import { metaTools } from './meta-tools.js';

type Params = Readonly<Record<string, unknown>>;

/** The answers to what clients ask first, made once from the configuration alone. They are what the SDK would answer. */
export interface Opening {
  /** To `initialize`, in a revision before 2026-07-28. */
  hello(revision: string): Params;
  /** By method, before 2026-07-28. */
  readonly legacy: ReadonlyMap<string, Params>;
  /** By method, since 2026-07-28. */
  readonly modern: ReadonlyMap<string, Params>;
}

export function createOpening(overview: Overview): Opening {
  const told = instructions(overview);
  const tools = metaTools(overview);
  // Resources are read by the links in results. There is nothing to list that would not start servers.
  const lists = [
    ['tools/list', { tools }, cacheHint],
    ['resources/list', { resources: [] }, noCache],
    ['resources/templates/list', { resourceTemplates: [] }, noCache],
  ] as const;
  const discovery = { supportedVersions: [modernRevision], capabilities, instructions: told };
  return {
    hello: (protocolVersion) => ({ protocolVersion, capabilities, serverInfo, instructions: told }),
    legacy: new Map<string, Params>([['ping', {}], ...lists.map(([method, list]) => [method, list] as const)]),
    modern: new Map<string, Params>([
      ['server/discover', completed({ ...discovery, ...cacheHint })],
      ...lists.map(([method, list, hint]) => [method, completed({ ...list, ...hint })] as const),
    ]),
  };
}

const noCache = { ttlMs: 0, cacheScope: 'private' } as const;

/** What a result carries since 2026-07-28. */
export function completed(result: Params): Params {
  const meta = isRecord(result['_meta']) ? result['_meta'] : {};
  return { resultType: 'complete', ...result, _meta: { ...meta, [metaKeys.serverInfo]: serverInfo } };
}

/** The revision that is agreed on in answer to `initialize`; undefined if anything about the request is unusual. */
export function agreedRevision({ protocolVersion, capabilities: offered, clientInfo }: Params): string | undefined {
  if (typeof protocolVersion !== 'string' || protocolVersion >= modernRevision) return undefined;
  if (!isRecord(offered) || !isImplementation(clientInfo)) return undefined;
  return legacyRevisions.has(protocolVersion) ? protocolVersion : latestLegacyRevision;
}

/** What the sender of a request of 2026-07-28 can do; undefined if anything about that is unusual. */
export function offeredCapabilities(meta: Params): Params | undefined {
  const client = meta[metaKeys.clientInfo];
  const offered = meta[metaKeys.clientCapabilities];
  if (meta[metaKeys.protocolVersion] !== modernRevision || !isRecord(offered)) return undefined;
  return client === undefined || isImplementation(client) ? offered : undefined;
}

function isImplementation(value: unknown): boolean {
  return isRecord(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string';
}
