import type { ServerConfig } from '../../config/config.js';
import { shorten } from '../../text/shorten.js';
import { textHash, toolHash } from '../ports/locked-tool.js';
import type { Deviations } from './deviations.js';

/** Each change once per session, for the log and for the agent. */
export interface ChangeNotes {
  /** `review`: the command for it. What is blocked is only logged here: every listing says so. */
  see(server: ServerConfig, found: Deviations, review: string, isBlocked: boolean): void;
  /** The notes on servers of a toolbox that were not taken yet. */
  take(toolbox: string): string[];
}

/** A server could make up new ones without end. */
const mostRemembered = 10_000;
const mostNames = 5;
const longestNames = 300;

export function createChangeNotes(log: (text: string) => void): ChangeNotes {
  const said = new Map<string, Map<string, Set<string>>>();
  const waiting = new Map<string, Map<string, string>>();

  function saidOf({ toolbox, name }: ServerConfig): Set<string> {
    const servers = said.get(toolbox) ?? new Map<string, Set<string>>();
    said.set(toolbox, servers);
    const own = servers.get(name) ?? new Set();
    servers.set(name, own);
    if (own.size > mostRemembered) own.clear();
    return own;
  }

  return {
    see(server, { changed, added, instructions }, review, isBlocked) {
      const known = saidOf(server);
      const isNew = (digest: string) => !known.has(digest) && known.add(digest);
      const fresh = {
        changed: changed.filter((tool) => isNew(toolHash(tool))),
        added: added.filter((tool) => isNew(toolHash(tool))),
        instructions: instructions !== undefined && isNew(textHash(instructions)) ? instructions : undefined,
      };
      const what = phraseOf(fresh);
      if (what === undefined) return;
      const { toolbox, name } = server;
      log(
        `${toolbox}/${name}: since its tools were approved, ${what}${isBlocked ? '; blocked' : ''}. Review: ${review}`,
      );
      if (isBlocked) return;
      const notes = waiting.get(toolbox) ?? new Map<string, string>();
      waiting.set(toolbox, notes);
      const text = `Server '${shorten(name, 100)}': since its tools were approved, ${what}. The user can review that in a terminal: ${review}`;
      notes.set(name, text);
    },
    take(toolbox) {
      const notes = [...(waiting.get(toolbox)?.values() ?? [])];
      waiting.delete(toolbox);
      return notes;
    },
  };
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
