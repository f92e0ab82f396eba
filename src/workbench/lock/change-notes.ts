import type { ServerConfig } from '../../config/config.js';
import { textHash, toolHash } from '../../config/lock-file/locked-tool.js';
import { shorten } from '../../text/shorten.js';
import type { Deviations } from './deviations.js';

/** Each change once in a session, for the log and for the agent. */
export interface ChangeNotes {
  /** `review`: the command for it. What is blocked is only logged here: every listing says so. */
  see(server: ServerConfig, found: Deviations, about: About): void;
  /** The notes on servers of a toolbox that were not taken yet. */
  take(toolbox: string): string[];
}

interface About {
  readonly review: string;
  readonly isBlocked: boolean;
}

interface Waiting {
  readonly server: ServerConfig;
  readonly text: string;
  readonly digests: readonly string[];
}

/** A server could make up new ones without end. */
const mostRemembered = 10_000;
const mostNames = 5;
const longestNames = 300;

export function createChangeNotes(log: (text: string) => void): ChangeNotes {
  const logged = createDigests();
  const told = createDigests();
  const waiting = new Map<string, Map<string, Waiting>>();

  function logNew(server: ServerConfig, found: Deviations, { review, isBlocked }: About): void {
    const fresh = logged.without(server, found);
    const what = phraseOf(fresh);
    if (what === undefined) return;
    logged.add(server, digestsOf(fresh));
    const { toolbox, name } = server;
    log(`${toolbox}/${name}: since its tools were approved, ${what}${isBlocked ? '; blocked' : ''}. Review: ${review}`);
  }

  return {
    see(server, found, about) {
      logNew(server, found, about);
      const { toolbox, name } = server;
      const untold = told.without(server, found);
      const what = about.isBlocked ? undefined : phraseOf(untold);
      const notes = waiting.get(toolbox) ?? new Map<string, Waiting>();
      waiting.set(toolbox, notes);
      notes.delete(name);
      if (what === undefined) return;
      const text = `Server '${shorten(name, 100)}': since its tools were approved, ${what}. The user can review that in a terminal: ${about.review}`;
      notes.set(name, { server, text, digests: digestsOf(untold) });
    },
    take(toolbox) {
      const notes = [...(waiting.get(toolbox)?.values() ?? [])];
      waiting.delete(toolbox);
      for (const { server, digests } of notes) told.add(server, digests);
      return notes.map(({ text }) => text);
    },
  };
}

/** Digests of changes, by server. */
function createDigests() {
  const all = new Map<string, Map<string, Set<string>>>();

  function of({ toolbox, name }: ServerConfig): Set<string> {
    const servers = all.get(toolbox) ?? new Map<string, Set<string>>();
    all.set(toolbox, servers);
    const own = servers.get(name) ?? new Set();
    servers.set(name, own);
    return own;
  }

  return {
    add(server: ServerConfig, digests: readonly string[]): void {
      const own = of(server);
      if (own.size > mostRemembered) own.clear();
      for (const digest of digests) own.add(digest);
    },
    without: (server: ServerConfig, found: Deviations): Deviations => without(found, of(server)),
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

/** New tools are counted, not named: their names are text of the server that is not approved. */
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
