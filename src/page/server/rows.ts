import type { PackageVersion } from '../../contract/package-version.js';
import type { Tool } from '../../contract/types.js';
import type { KnownServer } from '../../inspect/known-servers.js';
import type { LockChanges } from '../../inspect/lock-changes.js';
import type { ServerState } from '../../inspect/server-states.js';
import { toolTokens } from '../../results/tool-tokens.js';
import { firstSentence } from '../../text/first-sentence.js';
import { printable } from '../../text/printable.js';
import { shorten } from '../../text/shorten.js';
import type { Mark, ServerRow, ToolRow } from '../messages.js';

const longestReasonShown = 300;

/** `measured`: the bytes of its processes, and of one of them when it was last awake. */
export function serverRow(
  server: ServerState,
  next: string | undefined,
  measured: Pick<ServerRow, 'processes' | 'memory' | 'lastMemory'>,
  lives: ServerRow['lives'],
): ServerRow {
  const { toolbox, server: name, state, since, running, failure, known, silent } = server;
  const reason = silent === undefined ? failure?.reason : `session ${silent} does not answer`;
  const [first] = running;
  return {
    ...{ toolbox, server: name, since, clients: running.map(({ client }) => client), state },
    reason: reason === undefined ? undefined : shorten(printable(reason), longestReasonShown),
    next,
    tools: known?.tools.length,
    tokens: known?.tokens,
    listedAt: known?.at,
    ...measured,
    software: first?.software,
    package: known?.package && packageRow(known.package),
    startMs: first?.startMs,
    changes: state === 'disabled' ? undefined : changesOf(known?.changes),
    lives,
  };
}

function changesOf(changes: LockChanges | undefined): ServerRow['changes'] {
  return changes && { changed: changes.changed.length, added: changes.added.length };
}

function packageRow({ name, version, at }: PackageVersion): ServerRow['package'] {
  return { text: printable(`${name} ${version}`), at };
}

/** Those of a disabled server cannot be called. */
export function toolRows({ toolbox, server, tools = [], asks, isDisabled }: KnownServer): ToolRow[] {
  if (isDisabled) return [];
  return tools.map((tool) => ({
    ...{ toolbox, server, name: tool.name },
    about: firstSentence(tool.description),
    tokens: toolTokens(tool),
    marks: marksOf(tool, asks.includes(tool.name)),
  }));
}

/** Whether a person is asked, and the hints that the server gives; what it does not say is not shown. */
function marksOf({ annotations }: Tool, asks: boolean): Mark[] {
  const marks: [Mark, boolean][] = [
    ['asks', asks],
    ['read-only', annotations?.readOnlyHint === true],
    ['destructive', annotations?.destructiveHint === true && annotations.readOnlyHint !== true],
    ['idempotent', annotations?.idempotentHint === true],
    ['open world', annotations?.openWorldHint === true],
  ];
  return marks.flatMap(([mark, holds]) => (holds ? [mark] : []));
}
