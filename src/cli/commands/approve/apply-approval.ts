import { isOf, type LockDocument, type LockedServer } from '../../../config/lock-file/lock-document.js';
import { copyHash, textHash } from '../../../config/lock-file/locked-tool.js';
import type { ServerDifferences } from './differences.js';

/** The lock with exactly what was shown, whatever else it holds by now. */
export function approved(document: LockDocument, differences: readonly ServerDifferences[]): LockDocument {
  const servers = differences.reduce((all, one) => withApproved(all, one), document.servers);
  return { servers };
}

function withApproved(servers: readonly LockedServer[], found: ServerDifferences): readonly LockedServer[] {
  const others = servers.filter((one) => !isOf(found)(one));
  const entry = servers.find(isOf(found));
  return [...others, updated(entry ?? emptyEntry(found), found)];
}

function emptyEntry({ toolbox, server }: ServerDifferences): LockedServer {
  return { toolbox, server, tools: [] };
}

function updated({ instructions, tools, ...known }: LockedServer, found: ServerDifferences): LockedServer {
  const decided = new Set(found.tools.map(({ name }) => name));
  const added = found.tools.flatMap(({ after }) =>
    after === undefined ? [] : [{ sha256: copyHash(after), tool: after }],
  );
  const text = found.instructions === undefined ? instructions?.text : found.instructions.after;
  return {
    ...known,
    ...(found.package && { package: found.package.after }),
    ...(text !== undefined && { instructions: { sha256: textHash(text), text } }),
    tools: [...tools.filter(({ tool }) => !decided.has(tool.name)), ...added],
  };
}
