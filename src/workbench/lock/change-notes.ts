import type { ServerConfig } from '../../config/config.js';
import { textHash, toolHash } from '../../config/lock-file/locked-tool.js';
import type { ToolLock } from '../../config/lock-file/tool-lock.js';
import { shorten } from '../../text/shorten.js';
import type { Deviations } from './deviations.js';

/** Each change once: for the log in every session, for the agent in one of them. */
export interface ChangeNotes {
  /** `review`: the command for it. What is blocked is only logged here: every listing says so. */
  see(server: ServerConfig, found: Deviations, lock: ToolLock, about: About): Promise<void>;
  /** The notes on servers of a toolbox that were not taken yet. */
  take(toolbox: string): string[];
}

interface About {
  readonly review: string;
  readonly isBlocked: boolean;
}

interface Waiting {
  readonly text: string;
  readonly digests: readonly string[];
  readonly lock: ToolLock;
}

/** A server could make up new ones without end. */
const mostRemembered = 10_000;
const mostNames = 5;
const longestNames = 300;

export function createChangeNotes(log: (text: string) => void): ChangeNotes {
  const said = new Map<string, Map<string, Set<string>>>();
  const waiting = new Map<string, Map<string, Waiting>>();

  function saidOf({ toolbox, name }: ServerConfig): Set<string> {
    const servers = said.get(toolbox) ?? new Map<string, Set<string>>();
    said.set(toolbox, servers);
    const own = servers.get(name) ?? new Set();
    servers.set(name, own);
    if (own.size > mostRemembered) own.clear();
    return own;
  }

  return {
    async see(server, found, lock, { review, isBlocked }) {
      const known = saidOf(server);
      const fresh = without(found, known);
      const what = phraseOf(fresh);
      if (what === undefined) return;
      for (const digest of digestsOf(fresh)) known.add(digest);
      const { toolbox, name } = server;
      log(
        `${toolbox}/${name}: since its tools were approved, ${what}${isBlocked ? '; blocked' : ''}. Review: ${review}`,
      );
      if (isBlocked) return;
      const untold = without(fresh, await lock.noted());
      const phrase = phraseOf(untold);
      if (phrase === undefined) return;
      const notes = waiting.get(toolbox) ?? new Map<string, Waiting>();
      waiting.set(toolbox, notes);
      const text = `Server '${shorten(name, 100)}': since its tools were approved, ${phrase}. The user can review that in a terminal: ${review}`;
      notes.set(name, { text, digests: digestsOf(untold), lock });
    },
    take(toolbox) {
      const notes = [...(waiting.get(toolbox)?.values() ?? [])];
      waiting.delete(toolbox);
      for (const { lock, digests } of notes) lock.addNoted(digests);
      return notes.map(({ text }) => text);
    },
  };
}

function without({ changed, added, instructions }: Deviations, known: ReadonlySet<string>): Deviations {
  return {
    changed: changed.filter((tool) => !known.has(toolHash(tool))),
    added: added.filter((tool) => !known.has(toolHash(tool))),
    instructions: instructions === undefined || known.has(textHash(instructions)) ? undefined : instructions,
  };
}

function digestsOf({ changed, added, instructions }: Deviations): string[] {
  return [...changed, ...added].map(toolHash).concat(instructions === undefined ? [] : [textHash(instructions)]);
}

/** Names of new tools are the server's text, which nobody has approved: they are counted. */
function phraseOf({ changed, added, instructions }: Deviations): string | undefined {
  const names = changed.slice(0, mostNames).map(({ name }) => name);
  const more = changed.length > names.length ? [`${changed.length - names.length} more`] : [];
  const parts = [
    changed.length > 0 &&
      `${counted(changed.length)} changed (${shorten([...names, ...more].join(', '), longestNames)})`,
    added.length > 0 && `${counted(added.length)} ${added.length === 1 ? 'is' : 'are'} new`,
    instructions !== undefined && 'its instructions changed',
  ].filter((part) => typeof part === 'string');
  return parts.length === 0 ? undefined : parts.join(', ');
}

function counted(count: number): string {
  return count === 1 ? '1 tool' : `${count} tools`;
}
