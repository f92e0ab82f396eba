import type { JsonObject } from '../jsonrpc/json.js';
import { modernRevision } from '../jsonrpc/revisions.js';
import { project } from '../results/project.js';
import type { ToolResult } from '../results/tool-result.js';
import type { Caller } from './caller.js';
import { completed, notCached, withServerInfo } from './introduction/identity.js';

/** The result of a call in the agent's revision, with the fields that results have since 2026-07-28. `input_required` keeps its own type. */
export function resultFor({ revision }: Caller, given: ToolResult): unknown {
  const result = project(given, revision);
  if (revision < modernRevision) return asMessage(result);
  const _meta = withServerInfo(result.meta);
  return asMessage(result.with(result.isInputRequired ? { _meta } : { resultType: 'complete', _meta }));
}

export function resourceFor({ revision }: Caller, resource: JsonObject): JsonObject {
  return revision < modernRevision ? resource : completed({ ...notCached, ...resource });
}

/** A value serializes faster without a `toJSON` around it. */
function asMessage(result: ToolResult): unknown {
  return result.bytes() === undefined ? result.value() : result;
}
