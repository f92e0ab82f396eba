import type { Overview } from '../../config/overview.js';
import type { Tool } from '../../contract/types.js';
import type { JsonObject } from '../../jsonrpc/json.js';
import { latestLegacyRevision, modernRevision } from '../../jsonrpc/revisions.js';
import { cachedForMinute, capabilities, completed, notCached, serverInfo } from './identity.js';
import { instructions } from './instructions.js';
import { metaTools } from './meta-tools.js';

/** Responses made from the configuration alone; they start no server. */
export interface StaticAnswers {
  /** The result of `initialize`. */
  initialized(revision: string): JsonObject;
  /** The result of any other method with a fixed result in this revision. */
  of(method: string, revision: string): JsonObject | undefined;
}

/** The responses of a workbench with this configuration. `marksHeaders`: modern clients are told which arguments headers repeat. */
export function introductionOf(overview: Overview, { marksHeaders = false } = {}): StaticAnswers {
  const described = { capabilities, instructions: instructions(overview) };
  // A fault is fixed at any moment, and then there are toolboxes.
  return createStaticAnswers(
    metaTools(overview),
    described,
    overview.fault === undefined ? cachedForMinute : notCached,
    marksHeaders ? metaTools(overview, { marksHeaders }) : undefined,
  );
}

export function createStaticAnswers(
  tools: readonly Tool[],
  described: { readonly capabilities: JsonObject; readonly instructions?: string },
  cached: JsonObject = cachedForMinute,
  modernTools: readonly Tool[] = tools,
): StaticAnswers {
  // Resources are read through links in results. Listing them would start servers.
  const lists = [
    ['tools/list', { tools }, cached],
    ['resources/list', { resources: [] }, notCached],
    ['resources/templates/list', { resourceTemplates: [] }, notCached],
  ] as const;
  const discovery = { supportedVersions: [modernRevision], ...described };
  const legacy = new Map<string, JsonObject>([['ping', {}], ...lists.map(([method, list]) => [method, list] as const)]);
  const modern = new Map<string, JsonObject>([
    ['server/discover', completed({ ...discovery, ...cached })],
    ...lists.map(([method, list, hint]) => [method, completed({ ...list, ...hint })] as const),
    ['tools/list', completed({ tools: modernTools, ...cached })],
  ]);
  return {
    initialized: (protocolVersion) => ({ protocolVersion, serverInfo, ...described }),
    of: (method, revision) => (revision > latestLegacyRevision ? modern : legacy).get(method),
  };
}
