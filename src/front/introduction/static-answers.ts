import { latestLegacyRevision, modernRevision } from '../../jsonrpc/revisions.js';
import type { Overview } from '../../workbench/toolbox.js';
import { capabilities, completed, keptForMinute, notKept, serverInfo } from './identity.js';
import { instructions } from './instructions.js';
import { metaTools } from './meta-tools.js';

type Params = Readonly<Record<string, unknown>>;

/** What clients request first, answered from the configuration alone: nothing is started for it. */
export interface StaticAnswers {
  /** The result of `initialize`. */
  initialized(revision: string): Params;
  /** The result of any other method that has a fixed one in this revision. */
  of(method: string, revision: string): Params | undefined;
}

export function createStaticAnswers(overview: Overview): StaticAnswers {
  const text = instructions(overview);
  // Resources are read by the links in results. Listing them would start servers.
  const lists = [
    ['tools/list', { tools: metaTools(overview) }, keptForMinute],
    ['resources/list', { resources: [] }, notKept],
    ['resources/templates/list', { resourceTemplates: [] }, notKept],
  ] as const;
  const discovery = { supportedVersions: [modernRevision], capabilities, instructions: text };
  const legacy = new Map<string, Params>([['ping', {}], ...lists.map(([method, list]) => [method, list] as const)]);
  const modern = new Map<string, Params>([
    ['server/discover', completed({ ...discovery, ...keptForMinute })],
    ...lists.map(([method, list, hint]) => [method, completed({ ...list, ...hint })] as const),
  ]);
  return {
    initialized: (protocolVersion) => ({ protocolVersion, capabilities, serverInfo, instructions: text }),
    of: (method, revision) => (revision > latestLegacyRevision ? modern : legacy).get(method),
  };
}
